import { fileURLToPath } from 'node:url';
import type { AgentEvent } from './agent.ts';
import { listenToInterrupts } from './interrupts.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { run } from './run.ts';
import { createUsage, exitCode } from './usage.ts';
import { createJsonView } from './view/json-view.ts';
import { createScreen } from './view/screen.ts';
import { createTextView } from './view/text-view.ts';

const root = fileURLToPath(new URL('../sample-project', import.meta.url));

/** Milliseconds between pieces of text: about the speed of a server, where somebody watches. */
const watchedDelay = 10;

function createView({ json, showRaw }: Options): (event: AgentEvent) => void {
  if (json) return createJsonView((text) => void process.stdout.write(text));
  const screen = createScreen(process.stdout, process.env);
  return createTextView(screen, createScreen(process.stderr, process.env), showRaw);
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) {
    process.stdout.write(createUsage());
    return exitCode.answered;
  }
  // Whoever read the output, `head` for one, has enough of it.
  process.stdout.on('error', () => process.exit(exitCode.answered));
  const interrupts = listenToInterrupts();
  const delayMs = process.stdout.isTTY && !options.json ? watchedDelay : 0;
  const outcome = await run(options, root, delayMs, createView(options), interrupts.signal);
  return interrupts.exitCode ?? (outcome === 'answered' ? exitCode.answered : exitCode.failed);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`error: ${error.message}\nTry --help.\n`);
  process.exitCode = exitCode.usage;
}
