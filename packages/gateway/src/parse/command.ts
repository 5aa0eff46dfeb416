import { type Channel, createAssembler, type KimiTurn, type ParserOptions } from '@kimi-tc/core';
import { Command, Option } from 'commander';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createPaint } from '../terminal/paint.ts';
import { createProgress } from '../terminal/progress.ts';
import { type Input, openInput } from '../terminal/read-input.ts';
import { readTools } from '../terminal/tools-option.ts';
import { writeText } from '../terminal/write-text.ts';
import { parseLines } from './parse-lines.ts';
import { parseText, type TextOptions } from './parse-text.ts';
import { printTurn } from './print-turn.ts';

interface Flags {
  readonly jsonl?: boolean;
  readonly stream?: boolean;
  readonly json?: boolean;
  readonly model?: string;
  readonly tools?: string;
  readonly toolChoice?: string;
  readonly promptOpensThink?: boolean;
  readonly recoverTextCalls?: 'off' | 'default' | 'lenient';
  readonly guidedJson?: boolean;
  readonly finishReason?: string;
  readonly channel?: Channel;
}

const examples = `
Examples:
  Read what a server left raw, and see the calls in it:
    $ kimi-tc parse reply.txt --tools tools.json

  The same as JSON, from a pipe:
    $ curl -s $URL/completions -d @request.json | jq -j '.choices[0].text' | kimi-tc parse --json

  Watch the events as the text arrives:
    $ tail -f reply.txt | kimi-tc parse --stream

  A file of completions, one in a line, to one turn in a line:
    $ kimi-tc parse completions.jsonl > turns.jsonl

  Which problems do a million replies have?
    $ zcat replies.jsonl.gz | kimi-tc parse --jsonl | jq -r '.problems[].code' | sort | uniq -c

Lines may hold chat completions, text completions, messages, results of a batch, {"text": …}, or a
string. A line that holds something else is told on the standard error output, and the next one is read.

Exit codes: 0 all was read; 1 some lines could not be read; 2 the command could not run.`;

/** `kimi-tc parse`: raw replies of a model to turns. */
export function createParseCommand(): Command {
  return new Command('parse')
    .summary('raw replies of a model to turns: reasoning, text, tool calls, problems')
    .description(
      'Reads the raw text of one reply, or a file with a recorded reply in each line, and prints what it says: reasoning, text, tool calls, finish reason, problems.',
    )
    .argument('[file]', 'what to read; default: the standard input')
    .option('--jsonl', 'each line is a recorded reply (default for *.jsonl and *.ndjson)')
    .option('--stream', 'print the events as they come, one JSON in a line')
    .option('--json', 'print the turn as one line of JSON')
    .option('--model <id>', 'model that wrote it; picks the grammar')
    .option('--tools <file>', 'tools that were offered: a JSON array, or the request they stand in')
    .option(
      '--tool-choice <choice>',
      'tool choice of the request: auto, none, required, or the name of a tool',
    )
    .option('--prompt-opens-think', 'the prompt had opened the thought (K2.5, K2.6 over text completions)')
    .addOption(
      new Option('--recover-text-calls <mode>', 'calls written as plain text').choices([
        'off',
        'default',
        'lenient',
      ]),
    )
    .option('--guided-json', 'the server was forced to answer with a JSON list of calls')
    .option(
      '--finish-reason <word>',
      "the server's finish reason; comes before that of a line (default: stop)",
    )
    .addOption(
      new Option(
        '--channel <field>',
        'the field that raw text stood in; lines that name their fields keep them',
      ).choices(['content', 'reasoning']),
    )
    .addHelpText('after', examples)
    .action(async (file: string | undefined, flags: Flags) => {
      const options = await toOptions(flags);
      const input = await openInput(file);
      const isLines = flags.jsonl ?? /\.(jsonl|ndjson)$/i.test(file ?? '');
      if (isLines) process.exitCode = await runLines(input, options, flags.stream === true);
      else await runText(input, options, flags);
    });
}

async function toOptions(flags: Flags): Promise<TextOptions> {
  const { model, toolChoice, promptOpensThink, recoverTextCalls, guidedJson, finishReason, channel } = flags;
  const tools = (await readTools(flags.tools)) as ParserOptions['tools'];
  return {
    model,
    tools,
    toolChoice: toToolChoice(toolChoice),
    promptOpensThink,
    recoverTextCalls,
    guidedJson,
    finishReason,
    channel,
  };
}

function toToolChoice(choice: string | undefined): ParserOptions['toolChoice'] {
  if (choice === undefined || choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  return { name: choice };
}

async function runLines(input: Input, options: TextOptions, events: boolean): Promise<number> {
  const progress = createProgress(input.size, process.stdout.isTTY);
  const { lines, refused } = await parseLines(
    input.bytes,
    { ...options, events },
    {
      write: (text) => writeText(process.stdout, text),
      refuse: (line, reason) => void process.stderr.write(`${input.name}:${line}: ${reason}\n`),
      progress: (done, bytes) => progress.update(bytes, `${done} lines`),
    },
  ).finally(() => progress.stop());
  if (refused === 0) return exitCodes.done;
  process.stderr.write(`${refused} of ${lines} lines could not be read.\n`);
  return exitCodes.faultsFound;
}

async function runText(input: Input, options: TextOptions, { stream, json }: Flags): Promise<void> {
  const assembler = createAssembler();
  await parseText(input.bytes, options, async (events) => {
    if (stream) {
      await writeText(process.stdout, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    } else {
      for (const event of events) assembler.push(event);
    }
  });
  if (!stream) await writeText(process.stdout, print(assembler.turn, json === true));
}

function print(turn: KimiTurn, json: boolean): string {
  return json ? `${JSON.stringify(turn)}\n` : printTurn(turn, createPaint(process.stdout));
}
