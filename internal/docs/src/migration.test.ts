import { parse } from '@kimi-tc/core';
import { describe, expect, test } from 'vitest';
import { functionTool, text } from './given/shared.ts';
import { readDocuments } from './read-documents.ts';

type Before = (stream: AsyncIterable<object>, run: (id: string, args: unknown) => void) => Promise<void>;

/** The parser of one's own that docs/migration.md begins with, as a function of what it takes for granted. */
function readBefore(): Before {
  const document = readDocuments().find(({ file }) => file === 'docs/migration.md');
  const [block] = document?.blocks.filter(({ language }) => language === 'js') ?? [];
  if (!block) throw new Error('expected a block of js in docs/migration.md');
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...parts: string[]
  ) => Before;
  return new AsyncFunction('stream', 'run', block.code);
}

/** The ids that it runs, for a reply in these pieces. */
async function runBefore(pieces: readonly string[]): Promise<string[]> {
  const ran: string[] = [];
  async function* stream() {
    for (const content of pieces) yield { choices: [{ delta: { content } }] };
  }
  await readBefore()(stream(), (id) => ran.push(id));
  return ran;
}

function runParse(reply: string): string[] {
  return parse(reply, { tools: [functionTool] }).toolCalls.map(({ id }) => id);
}

const first = 'functions.read_file:0';
const second = 'functions.read_file:1';

describe("what docs/migration.md says of a parser of one's own", () => {
  test('it reads the simplest reply', async () => {
    expect(await runBefore([text])).toEqual([first]);
    expect(runParse(text)).toEqual([first]);
  });

  test('it runs the first call again with every chunk, and never a second', async () => {
    const pieces = [text, text.replace(':0', ':1'), ' Done.'];
    expect(await runBefore(pieces)).toEqual([first, first, first]);
    expect(runParse(pieces.join(''))).toEqual([first, second]);
  });

  test('it loses a call whose end token was cut off', async () => {
    const cut = text.slice(0, text.indexOf('<|tool_call_end|>') + '<|tool_call_'.length);
    expect(await runBefore([cut])).toEqual([]);
    expect(runParse(cut)).toEqual([first]);
  });

  test('it runs a quoted example', async () => {
    const quoted = `\`\`\`\n${text}\n\`\`\`\nThat is how a call looks.`;
    expect(await runBefore([quoted])).toEqual([first]);
    expect(runParse(quoted)).toEqual([]);
  });
});
