#!/usr/bin/env node
import { KimiError } from '@kimi-tc/core';
import { CommanderError } from 'commander';
import { createProgram, nameCommand } from './program.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { UsageError } from './terminal/usage-error.ts';

// Whoever read the output, `head` for one, has enough of it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.couldNotRun);
});

// Where nobody hears what is wrong, the exit code still tells that something is.
process.stderr.on('error', () => {});

try {
  await createProgram().parseAsync(nameCommand(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.exitCode = explain(error);
}

/** Tells what went wrong, and gives the exit code for it. */
function explain(error: unknown): number {
  // Commander has told it already; help and version are no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.couldNotRun;
  if (!(error instanceof UsageError || error instanceof KimiError || isOfSystem(error))) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  return exitCodes.couldNotRun;
}

/** A file or a device that failed while it was read. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
