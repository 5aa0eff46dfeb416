import { type BehaviourName, type EngineOptions, startEngine } from '@kimi-tc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ChatChunk, createKimiFetch, transformKimiCompletion, transformKimiStream } from './index.ts';

// What needs no repair passes as it came, byte for byte.

const section = (...calls: [id: string, args: string][]) =>
  `<|tool_calls_section_begin|>${calls
    .map(([id, args]) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`)
    .join('')}<|tool_calls_section_end|>`;

const script = [
  `<think>\n Which <b>files</b>?\n</think>\n\nLook at \`a < b\`, <|weird|> and </p>.${section(
    ['functions.read:0', '{"path": "a.md", "marker": "<|tool_call_end|> is text here"}'],
    ['functions.read:1', '{"path": "日本 😀"}'],
    ['functions.list:2', '{}'],
  )}`,
];
const tools = [
  { type: 'function', function: { name: 'read' } },
  { type: 'function', function: { name: 'list' } },
];

async function both(options: Partial<EngineOptions>, body: object) {
  const engine = await startEngine({ script, ...options });
  onTestFinished(() => engine.stop());
  const problems: unknown[] = [];
  let bare: Promise<string> | undefined;
  const fetch = createKimiFetch({
    onProblem: (problem) => problems.push(problem),
    fetch: async (...request) => {
      const response = await globalThis.fetch(...request);
      bare = bytesOf(response.clone());
      return response;
    },
  });
  const ours = await fetch(`${engine.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools, ...body }),
  });
  return { ours: await bytesOf(ours), bare: await bare, problems };
}

async function bytesOf(response: Response): Promise<string> {
  return Buffer.from(await response.arrayBuffer()).toString('latin1');
}

const wires: (BehaviourName | readonly BehaviourName[])[] = [
  'healthy',
  'crlf',
  'tight-data-lines',
  'event-lines',
  'byte-order-mark',
  'generated-ids',
  'arguments-at-once',
  'reasoning-in-both-fields',
  'whole-call-in-one-delta',
];

describe('a healthy stream passes byte for byte', () => {
  test.each(wires)('%s', async (behaviour) => {
    for (const chunking of ['pieces', { seed: 5, max: 9 }] as const) {
      const { ours, bare, problems } = await both({ behaviour, chunking }, { stream: true });
      expect(ours).toBe(bare);
      expect(problems).toEqual([]);
    }
  });

  test('cut into single bytes', async () => {
    const { ours, bare } = await both({ behaviour: ['crlf', 'event-lines'], byteCuts: 1 }, { stream: true });
    expect(ours).toBe(bare);
  });

  test('in one read', async () => {
    const engine = await startEngine({ script });
    onTestFinished(() => engine.stop());
    let bare: Uint8Array<ArrayBuffer> | undefined;
    const fetch = createKimiFetch({
      fetch: async (...request) => {
        const response = await globalThis.fetch(...request);
        bare = new Uint8Array(await response.arrayBuffer());
        return new Response(bare, { headers: response.headers });
      },
    });
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools, stream: true };
    const ours = await fetch(`${engine.baseURL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(request),
    });
    expect(await ours.text()).toBe(new TextDecoder().decode(bare));
  });

  const event = (index: number, delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta, finish_reason }] })}\n\n`;
  const text = (index: number, ...pieces: string[]) => pieces.map((content) => event(index, { content }));

  /** What leaves, in the pieces it leaves in, for these reads of a server's. */
  async function readAll(...reads: string[][]): Promise<string[]> {
    const headers = { 'content-type': 'text/event-stream' };
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const events of reads) controller.enqueue(new TextEncoder().encode(events.join('')));
        controller.close();
      },
    });
    const fetch = createKimiFetch({ fetch: async () => new Response(body, { headers }) });
    const ours = await fetch('http://server.invalid/chat/completions', { method: 'POST' });
    const out: string[] = [];
    for await (const bytes of ours.body as ReadableStream<Uint8Array>)
      out.push(new TextDecoder().decode(bytes));
    return out;
  }

  test('in one read, where a chunk of one choice waits while another passes', async () => {
    const events = [
      ...[0, 1].map((index) => event(index, { role: 'assistant', content: '' })),
      ...text(0, 'a', 'b'),
      ...text(1, 'c', 'd'),
      ...text(0, '<'),
      ...text(1, 'e'),
      ...text(0, 'f>'),
      ...[0, 1].map((index) => event(index, {}, 'stop')),
      'data: [DONE]\n\n',
    ];
    const ours = await readAll(events);
    const sorted = (all: string) => all.split('\n\n').sort();
    expect(sorted(ours.join(''))).toEqual(sorted(events.join('')));
  });

  test('in reads of several chunks, of which only those wait that must', async () => {
    const start = [event(0, { role: 'assistant', content: '' }), ...text(0, 'a', ' "b"', ' é\n', ' 1')];
    const end = [...text(0, ' 2.', ' 日'), event(0, {}, 'stop'), 'data: [DONE]\n\n'];
    const held = text(0, ' <', '|');
    const ours = await readAll([...start, ...held], end);
    expect(ours[0]).toBe(start.join(''));
    expect(ours.join('')).toBe([...start, ...held, ...end].join(''));
  });

  test('where the end of the reasoning and the content behind it may both be markup', async () => {
    const events = [
      event(0, { role: 'assistant', content: '' }),
      event(0, { reasoning_content: 'Which functions.' }),
      ...text(0, '<', 'b>'),
      event(0, {}, 'stop'),
      'data: [DONE]\n\n',
    ];
    expect((await readAll(events)).join('')).toBe(events.join(''));
    expect((await readAll(...events.map((one) => [one]))).join('')).toBe(events.join(''));
  });

  test.each<[string, object, object, object]>([
    ['usage', { usage: { total_tokens: 3 } }, {}, {}],
    ['log probabilities', {}, { logprobs: { content: [] } }, {}],
    ['a field of the choice that is not known', {}, { token_ids: [7] }, {}],
    ['a field that is not known', {}, {}, { reasoning_details: [{ type: 'reasoning.text' }] }],
  ])('with %s in each chunk', async (_, inChunk, inChoice, inDelta) => {
    const more = (delta: object, finish_reason: string | null = null) => {
      const choice = { index: 0, delta: { ...delta, ...inDelta }, ...inChoice, finish_reason };
      return `data: ${JSON.stringify({ id: 'c', choices: [choice], ...inChunk })}\n\n`;
    };
    const begun = { index: 0, id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '' } };
    const events = [
      more({ role: 'assistant', content: '' }),
      ...['a', ' <', 'b>', ' functions', ' c'].map((content) => more({ content })),
      more({ tool_calls: [begun] }),
      ...['{"a"', ':1}'].map((args) => more({ tool_calls: [{ index: 0, function: { arguments: args } }] })),
      more({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    expect((await readAll(events)).join('')).toBe(events.join(''));
    expect((await readAll(...events.map((one) => [one]))).join('')).toBe(events.join(''));
  });

  test.each<[string, (begun: string[], args: string[][]) => string[]]>([
    ['one call behind the other', (begun, args) => [...begun, ...args.flat()]],
    [
      'by turns',
      (begun, [one = [], two = []]) => [...begun, ...one.flatMap((args, at) => [args, two[at] ?? ''])],
    ],
    ['text between them', ([one = '', two = ''], args) => [one, ...text(0, ' <', 'b>'), two, ...args.flat()]],
  ])('calls that begin before the first one goes on: %s', async (_, order) => {
    const fragment = (index: number, more: object) => event(0, { tool_calls: [{ index, ...more }] });
    const begun = [0, 1].map((index) => {
      const own = { id: `functions.f:${index}`, type: 'function', signature: index };
      return fragment(index, { ...own, function: { name: 'f', arguments: '' } });
    });
    const args = [0, 1].map((index) =>
      ['{"a', '"', ':', `${index}}`].map((part) => fragment(index, { function: { arguments: part } })),
    );
    const end = [event(0, {}, 'tool_calls'), 'data: [DONE]\n\n'];
    const events = [event(0, { role: 'assistant', content: '' }), ...order(begun, args), ...end];
    for (const reads of [[events], events.map((one) => [one])]) {
      const ours = (await readAll(...reads)).join('').split(/(?<=\n\n)/);
      // Only the first fragment of a call waits, for the second one.
      expect([...ours].sort()).toEqual([...events].sort());
      for (const index of [0, 1]) {
        const of = (all: string[]) => all.filter((one) => one.includes(`"tool_calls":[{"index":${index}`));
        expect(of(ours)).toEqual(of(events));
      }
      expect(ours.slice(-2)).toEqual(end);
    }
  });

  test('with fragments of a call that have no arguments', async () => {
    const begun = { index: 0, id: 'functions.f:0', type: 'function', function: { name: 'f', arguments: '' } };
    const fragment = (args: string) => ({
      tool_calls: [{ index: 0, function: { arguments: args } }],
    });
    const events = [
      event(0, { role: 'assistant', content: '' }),
      event(0, { tool_calls: [begun] }),
      ...['', '', '{"a"', '', ':1}', ''].map((args) => event(0, fragment(args))),
      event(0, fragment(''), 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    for (const reads of [[events], events.map((one) => [one])])
      expect((await readAll(...reads)).join('')).toBe(events.join(''));
  });

  test('with usage in a chunk behind the finish that has a choice', async () => {
    const last = { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] };
    for (const finish of [event(0, {}, 'stop'), event(0, { content: ' b' }, 'stop')]) {
      const events = [
        event(0, { role: 'assistant', content: '' }),
        ...text(0, 'a'),
        finish,
        `data: ${JSON.stringify({ id: 'c', ...last, usage: { total_tokens: 2 } })}\n\n`,
        'data: [DONE]\n\n',
      ];
      expect((await readAll(events)).join('')).toBe(events.join(''));
    }
  });

  test.each(['[ping]\n\n', '<!-- x -->\n', '{"ping":1}\n\n'])(
    'behind bytes that are no event: %j',
    async (front) => {
      const events = [
        front,
        event(0, { role: 'assistant', content: '' }),
        ...text(0, 'a'),
        event(0, {}, 'stop'),
        'data: [DONE]\n\n',
      ];
      expect((await readAll(events)).join('')).toBe(events.join(''));
      const bytes = events.join('').split('');
      expect((await readAll(...bytes.map((one) => [one]))).join('')).toBe(events.join(''));
    },
  );

  test('with the data of a chunk in two lines', async () => {
    const role = event(0, { role: 'assistant', content: '' });
    const two = 'data: {"id": "c",\ndata: "choices": [{"index": 0, "delta": {"content": "a"}}]}\n\n';
    const events = [role, two, two, event(0, {}, 'stop'), 'data: [DONE]\n\n'];
    expect((await readAll(events)).join('')).toBe(events.join(''));
  });

  test('with usage behind it, and several choices', async () => {
    const { ours, bare } = await both({}, { stream: true, stream_options: { include_usage: true } });
    expect(ours).toBe(bare);
    // Choices end together, as the last finish may still be followed by text of its choice.
    const several = await both({}, { stream: true, n: 2 });
    const sorted = (text = '') => text.split('\n\n').sort();
    expect(sorted(several.ours)).toEqual(sorted(several.bare));
  });
});

test('a healthy completion passes byte for byte', async () => {
  const { ours, bare, problems } = await both({}, {});
  expect(ours).toBe(bare);
  expect(problems).toEqual([]);
});

test('healthy chunks and completions are the same objects', async () => {
  const chunks: ChatChunk[] = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: '\n' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: 'a <' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: ' b' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: '.' }, finish_reason: 'stop' }] },
    { choices: [] },
  ];
  async function* source() {
    yield* chunks;
  }
  const passed: ChatChunk[] = [];
  for await (const chunk of transformKimiStream(source())) passed.push(chunk);
  // All but the ones around a held `<`, which had to be cut.
  for (const at of [0, 4, 5]) expect(passed).toContain(chunks[at]);
  const completion = {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a < b' }, finish_reason: 'stop' }],
  };
  expect(transformKimiCompletion(completion)).toBe(completion);
});

test('what is repaired is a new object; the given ones are not changed', async () => {
  const message = Object.freeze({ role: 'assistant', content: `Hm.${section(['list:0', '{}'])}` });
  const choice = Object.freeze({ index: 0, message, finish_reason: 'stop' });
  const completion = Object.freeze({ id: 'c', choices: Object.freeze([choice]) });
  const repaired = transformKimiCompletion(completion);
  expect(repaired).not.toBe(completion);
  expect(repaired).toMatchObject({
    id: 'c',
    choices: [{ message: { content: 'Hm.' }, finish_reason: 'tool_calls' }],
  });
});
