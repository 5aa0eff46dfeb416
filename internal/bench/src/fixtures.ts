import type { KimiTurn, ToolDefinition } from '@kimi-tc/core';
import { createRandom, type Random } from './random.ts';

/** One reply of a model, and what has to be read from it. */
export interface Fixture {
  name: string;
  /** What the model wrote. */
  text: string;
  /** The tools of the request. */
  tools: ToolDefinition[];
  /** What is to be read. */
  turn: KimiTurn;
  /** The same reply in the Hermes format; absent where that format has no such thing. */
  hermes: string | undefined;
}

interface Call {
  name: string;
  arguments: string;
}

export const DELTA_LENGTHS = [1, 4, 64, 4096] as const;

const SEED = 20260801;
const KILO = 1000;

const WORDS =
  'the a of to and in is that for it with as on be this are by or from at which an each when what not file line test value call server request answer stream token reads writes keeps first second between because before after should could rather than parser model tool result error retry café naïve'.split(
    ' ',
  );

function sentence(random: Random): string {
  const words = Array.from({ length: 6 + random.number(14) }, () => random.pick(WORDS));
  if (random.number(5) === 0) words[2] = `\`${words[2]}_${random.number(90)}\``;
  if (random.number(6) === 0) words[4] += ` (${random.number(1000)} < ${1000 + random.number(1000)})`;
  const text = words.join(' ');
  return `${text[0]?.toUpperCase()}${text.slice(1)}${random.pick(['.', '.', '.', ':', '?', ' – yes.'])}`;
}

/** Paragraphs, lists and code blocks, as in an answer. */
function prose(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    const kind = random.number(8);
    if (kind === 0) text += `\`\`\`ts\n${code(random, 300)}\`\`\`\n\n`;
    else if (kind === 1) text += `- ${sentence(random)}\n- ${sentence(random)}\n- ${sentence(random)}\n\n`;
    else if (kind === 2) text += `## ${random.pick(WORDS)} ${random.pick(WORDS)}\n\n`;
    else text += `${Array.from({ length: 4 }, () => sentence(random)).join(' ')}\n\n`;
  }
  return `${text.trimEnd()}\n\nThat is all.`;
}

/** Source code: short lines, quotes, braces, generics. */
function code(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    const name = `${random.pick(WORDS)}${random.number(100)}`;
    text += random.pick([
      `export function ${name}(value: Map<string, ${name}[]>): boolean {\n  return value.size < ${random.number(100)};\n}\n`,
      `const ${name} = "${sentence(random)}";\n`,
      `  if (${name} > 0 && ${name} <= ${random.number(1000)}) {\n    console.log('${name}\\t', ${name});\n  }\n`,
      `<p class="${name}">${random.pick(WORDS)} ${random.pick(WORDS)}</p>\n`,
      `// ${sentence(random)}\n`,
    ]);
  }
  return text;
}

function writeFile(random: Random, length: number): Call {
  const content = code(random, length * 0.92).slice(0, Math.ceil(length * 0.92));
  return { name: 'write_file', arguments: JSON.stringify({ path: 'src/generated/page.tsx', content }) };
}

/** Arguments of numbers, lists and nested objects, written with spaces as models do. */
function measurement(random: Random, at: number): Call {
  const rows = Array.from({ length: 12 }, (_, row) => ({
    id: row,
    label: `${random.pick(WORDS)} ${random.pick(WORDS)}`,
    range: [random.number(500) / 8, -random.number(500)],
    open: random.number(2) === 0,
    note: null,
  }));
  return {
    name: `record_${at}`,
    arguments: JSON.stringify({ station: at, rows }, null, 1).replaceAll(/\n */g, ' '),
  };
}

/** The 30 tools of an agent. */
export function offeredTools(): ToolDefinition[] {
  const names = [
    ...['write_file', 'read_file', 'list_files', 'search_text', 'get_weather', 'run_command', 'fetch_page'],
    ...['apply_patch', 'create_issue', 'send_message'],
    ...Array.from({ length: 20 }, (_, at) => `record_${at}`),
  ];
  return names.map((name) => ({
    type: 'function',
    function: { name, description: `The tool ${name}.`, parameters: parametersOf(name) },
  }));
}

function parametersOf(name: string): Record<string, unknown> {
  const text = { type: 'string' };
  if (name.startsWith('record_')) {
    return {
      type: 'object',
      properties: { station: { type: 'integer' }, rows: { type: 'array' } },
      required: ['station', 'rows'],
    };
  }
  if (name === 'get_weather') return { type: 'object', properties: { city: text }, required: ['city'] };
  return { type: 'object', properties: { path: text, content: text }, required: ['path'] };
}

function k2Calls(calls: readonly Call[]): string {
  const body = calls.map(
    (call, at) =>
      `<|tool_call_begin|>functions.${call.name}:${at}<|tool_call_argument_begin|>${call.arguments}<|tool_call_end|>`,
  );
  return `<|tool_calls_section_begin|>${body.join('')}<|tool_calls_section_end|>`;
}

function hermesCalls(calls: readonly Call[]): string {
  return calls
    .map((call) => `<tool_call>\n{"name": "${call.name}", "arguments": ${call.arguments}}\n</tool_call>`)
    .join('\n');
}

function turnOf(part: { reasoning?: string; content: string; calls?: readonly Call[] }): KimiTurn {
  const { reasoning = '', content, calls = [] } = part;
  const raw = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    reasoning,
    content,
    toolCalls: calls.map((call, index) => {
      const id = `functions.${call.name}:${index}`;
      return { index, id, name: call.name, arguments: call.arguments, rawId: id };
    }),
    incompleteToolCalls: [],
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw },
    problems: [],
  };
}

function callFixture(name: string, content: string, calls: readonly Call[]): Fixture {
  return {
    name,
    text: content + k2Calls(calls),
    tools: offeredTools(),
    turn: turnOf({ content, calls }),
    hermes: content + hermesCalls(calls),
  };
}

/** A reply with one call whose arguments have about `length` UTF-16 units. */
export function createArgumentFixture(name: string, length: number): Fixture {
  return callFixture(name, 'I will write the page.', [writeFile(createRandom(SEED), length)]);
}

/** A reply with `count` calls, of some thousand UTF-16 units each. */
export function createCallsFixture(name: string, count: number): Fixture {
  return callFixture(name, 'Now I write them down.', measurements(createRandom(SEED), count));
}

function measurements(random: Random, count: number): Call[] {
  return Array.from({ length: count }, (_, at) => measurement(random, at));
}

/** Every shape of reply that is timed. */
export function createFixtures(): Fixture[] {
  const random = createRandom(SEED);
  const tools = offeredTools();
  const answer = prose(random, 10 * KILO);
  const thought = prose(random, 20 * KILO);
  const weather = { name: 'get_weather', arguments: '{"city": "Reykjavík", "unit": "celsius"}' };
  const plain: Fixture = {
    name: 'prose',
    text: answer,
    tools: [],
    turn: turnOf({ content: answer }),
    hermes: answer,
  };
  return [
    plain,
    { ...plain, name: 'prose, 30 tools', tools },
    {
      name: 'reasoning',
      text: `<think>${thought}</think>Done.`,
      tools,
      turn: turnOf({ reasoning: thought, content: 'Done.' }),
      hermes: undefined,
    },
    callFixture('one short call', 'I will look that up.', [weather]),
    createArgumentFixture('100 kB argument', 100 * KILO),
    createArgumentFixture('1 MB argument', 1000 * KILO),
    callFixture('ten parallel calls', 'All ten at once.', measurements(random, 10)),
  ];
}

/** Cuts a text into deltas, as separate strings like those that a JSON parser hands out. */
export function cutIntoDeltas(text: string, length: number): string[] {
  const deltas: string[] = [];
  for (let at = 0; at < text.length; at += length) deltas.push(text.slice(at, at + length));
  return JSON.parse(JSON.stringify(deltas)) as string[];
}

/** The deltas as the JSON of OpenAI's `chat.completion.chunk` objects: the data lines of a stream, without `data: `. */
export function toChunkLines(deltas: readonly string[]): string[] {
  return deltas.map((content) =>
    JSON.stringify({
      id: 'chatcmpl-7d1f0c7be2a94f6c8a30',
      object: 'chat.completion.chunk',
      created: 1785542400,
      model: 'kimi-k2-thinking',
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }),
  );
}
