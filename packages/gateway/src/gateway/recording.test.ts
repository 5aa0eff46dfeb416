import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ChatChunk,
  collectTurn,
  completionStreamToChat,
  transformKimiCompletion,
  transformKimiStream,
} from '@kimi-tc/openai';
import {
  type BehaviourName,
  behaviours,
  type CaseInput,
  type CorpusCase,
  checkSurface,
  loadCases,
  startEngine,
  type TurnOutcome,
} from '@kimi-tc/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedaction } from './redact-text.ts';
import { makeFolder, post, startServer, startTestGateway, until } from './test-gateway.ts';
import { toCase } from './to-case.ts';

const SECRET = 'sk-Geheim4711 Straße 日本語';
const turn = [
  `<think>The user says ${SECRET}.</think>It is ${SECRET}.`,
  `<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"${SECRET}\\n\\u00e9","lines":[10,2.5e3],"all":true}<|tool_call_end|>`,
  '<|tool_call_begin|>functions.read:1<|tool_call_argument_begin|>{"path":"b.md"}<|tool_call_end|><|tool_calls_section_end|>',
].join('');
const tools = [
  {
    type: 'function',
    function: {
      name: 'read',
      description: `Reads, as ${SECRET} said.`,
      parameters: {
        type: 'object',
        properties: { path: { type: 'string', description: SECRET, default: SECRET }, lines: {}, all: {} },
        required: ['path'],
      },
    },
  },
];
const ask = { model: 'kimi-k2-thinking', messages: [{ role: 'user', content: SECRET }], tools };

/** Anything of the secret, in whatever pieces it was sent. */
const LEAK = /Geheim|4711|Stra|日|ße/;

/** The log without the ids and times of requests, which may hold any digits. */
function withoutNumbers(log: string): string {
  return log.replaceAll(/"id":"req_[\da-f-]{36}"|"(?:time|ms)":[\d.]+/g, '');
}

/** Plays a recorded case by the transforms of the packages. */
async function run(of: CorpusCase, input: CaseInput): Promise<TurnOutcome> {
  const options = { ...of.options, tools: of.tools as never };
  async function* chunks(): AsyncGenerator<ChatChunk> {
    if (input.kind === 'chunks') for (const chunk of input.chunks) yield chunk as unknown as ChatChunk;
    if (input.kind !== 'message') return;
    const { choices } = transformKimiCompletion(
      { choices: [{ index: 0, ...input.choice }] } as never,
      options,
    );
    const [{ message, ...rest }] = choices as unknown as [{ message: { tool_calls?: object[] } }];
    const calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }));
    yield { choices: [{ ...rest, delta: { ...message, tool_calls: calls } }] } as unknown as ChatChunk;
  }
  async function* text(): AsyncGenerator<never> {
    if (input.kind !== 'deltas') return;
    for (const [, piece] of input.deltas)
      yield { choices: [{ index: 0, text: piece, finish_reason: null }] } as never;
    yield { choices: [{ index: 0, text: '', finish_reason: input.finishReason }] } as never;
  }
  const stream =
    input.kind === 'deltas'
      ? completionStreamToChat(text(), options)
      : input.kind === 'chunks'
        ? transformKimiStream(chunks(), options)
        : chunks();
  let usage: unknown;
  async function* watched(): AsyncGenerator<ChatChunk> {
    for await (const chunk of stream as AsyncIterable<ChatChunk>) {
      usage = (chunk as { usage?: unknown }).usage ?? usage;
      yield chunk;
    }
  }
  const read = await collectTurn(watched());
  return {
    ...read,
    ...(input.kind === 'chunks' && { usage }),
    finishReason: read.finishReason.unified.replace('-', '_') as TurnOutcome['finishReason'],
    problems: read.problems.map(({ code }) => code),
  };
}

async function record(
  engineOptions: Partial<Parameters<typeof startEngine>[0]>,
  settings: object,
  bodies: object[],
) {
  const folder = makeFolder();
  const engine = await startEngine({ script: () => turn, ...engineOptions });
  onTestFinished(() => engine.stop());
  const gateway = await startTestGateway({
    upstreams: [{ url: engine.baseURL }],
    record: join(folder, 'records'),
    ...settings,
  });
  for (const body of bodies)
    await (
      await post(`${gateway.baseURL}/chat/completions`, body, {
        headers: { authorization: `Bearer ${SECRET.slice(0, 13)}` },
      })
    )
      .text()
      .catch(() => undefined);
  await gateway.close();
  const cases = () => loadCases({ folder: pathToFileURL(`${folder}/records/`) });
  return { folder: join(folder, 'records'), gateway, cases };
}

describe('recordings', () => {
  test('are cases of the corpus that pass, with no word of what was said', async () => {
    const { folder, cases, gateway } = await record({ behaviour: 'raw-content' }, {}, [
      { ...ask, stream: true, stream_options: { include_usage: true } },
      ask,
      { ...ask, stream: true, tools: undefined },
    ]);
    const found = cases();
    expect(found.map(({ input }) => input.kind).sort()).toEqual(['chunks', 'chunks', 'message']);
    for (const one of found) {
      expect(await checkSurface({ name: 'the packages', run }, one)).toBeUndefined();
      expect(one.expected.toolCalls).toMatchObject([
        { id: 'functions.read:0', name: 'read' },
        { id: 'functions.read:1', name: 'read' },
      ]);
      expect(one.expected.reasoning).toMatch(/^xxx xxxx /);
      expect(one.family).toBe('thinking');
    }
    const [withTools] = found.filter((one) => one.tools);
    expect(withTools?.expected.toolCalls?.[0]?.arguments).toMatch(
      /^\{"path":"xx-xxxxxx1111 xxxxxx xxx\\n\\u0078","lines":\[11,1\.1e1\],"all":true\}$/,
    );
    for (const name of readdirSync(join(folder, 'recorded'))) {
      const file = join(folder, 'recorded', name);
      expect(readFileSync(file, 'utf8')).not.toMatch(LEAK);
      expect(statSync(file).mode & 0o077).toBe(0);
    }
    expect(withoutNumbers(gateway.logText())).not.toMatch(LEAK);
    expect(gateway.lines.filter(({ msg }) => msg === 'request')).toHaveLength(3);
  });

  const shown = (Object.keys(behaviours) as BehaviourName[]).filter(
    (name) => behaviours[name].failure === undefined && name !== 'slow-first-byte',
  );
  test.each(shown)('of %s are cases that pass', async (behaviour) => {
    const { folder, cases } = await record({ behaviour }, {}, [{ ...ask, stream: true }, ask]);
    const found = cases();
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(await checkSurface({ name: 'the packages', run }, one)).toBeUndefined();
    for (const name of readdirSync(join(folder, 'recorded')))
      expect(readFileSync(join(folder, 'recorded', name), 'utf8')).not.toMatch(LEAK);
  });

  test('over text completions are the raw text, behind a thought the prompt has opened', async () => {
    const { cases, folder } = await record(
      { script: () => turn.replace('<think>', '') },
      { transport: 'completions' },
      [
        { ...ask, model: 'kimi-k2.5', stream: true },
        { ...ask, model: 'kimi-k2.5' },
      ],
    );
    const found = cases();
    expect(found).toHaveLength(2);
    for (const one of found) {
      expect(one).toMatchObject({
        input: { kind: 'deltas' },
        options: { promptOpensThink: true },
        family: 'k2.5',
      });
      expect(await checkSurface({ name: 'the packages', run }, one)).toBeUndefined();
    }
    for (const name of readdirSync(join(folder, 'recorded')))
      expect(readFileSync(join(folder, 'recorded', name), 'utf8')).not.toMatch(LEAK);
  });

  test('keep the outcome of every case of the corpus', async () => {
    /** Calls that differ in letters and digits alone become twins, which count once. */
    const hasTwins = (calls: CorpusCase['expected']['toolCalls'] = []) => {
      const shapes = calls.map((one) => JSON.stringify(one.arguments).replace(/[\p{L}\p{N}]/gu, 'x'));
      return new Set(shapes).size < shapes.length;
    };
    const toEvent = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const toText = (input: CaseInput): string => {
      if (input.kind === 'chunks')
        return input.chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
      if (input.kind === 'message') return JSON.stringify({ choices: [input.choice] });
      if (input.kind !== 'deltas') throw new Error(`no reply in ${input.kind}`);
      const events = input.deltas.map(([channel, text]) =>
        toEvent({ [channel === 'reasoning' ? 'reasoning_content' : channel]: text }),
      );
      return [...events, input.finishReason === null ? '' : toEvent({}, input.finishReason)].join('');
    };
    let compared = 0;
    for (const one of loadCases({ kinds: ['chunks', 'deltas', 'message'] })) {
      const { input, expected, options } = one;
      // Options are those of a gateway, which a recording does not hold.
      if (one.topic === 'k3' || options !== undefined || hasTwins(expected.toolCalls)) continue;
      const request = JSON.stringify({ model: 'kimi-k2', tools: one.tools ?? [] });
      const recorded = await toCase({ request, text: toText(input) }, { id: 'x', topic: 'y' });
      if (!recorded) continue;
      const {
        toolCalls = [],
        finishReason,
        incompleteToolCalls,
      } = recorded.expected as CorpusCase['expected'];
      // A name that nobody offers is a word like others.
      const offered = one.tools?.map((tool) => tool.function.name) ?? [];
      const toName = ({ name }: { name: string }) => (offered.includes(name) ? name : '');
      expect({
        id: one.id,
        calls: toolCalls.map(toName),
        finishReason,
        cut: incompleteToolCalls?.length,
      }).toEqual({
        id: one.id,
        calls: expected.toolCalls?.map(toName),
        finishReason: expected.finishReason,
        cut: expected.incompleteToolCalls?.length,
      });
      compared++;
    }
    expect(compared).toBeGreaterThan(200);
  });

  test('that cannot be written disturb no reply, and are counted', async () => {
    const folder = join(makeFolder(), 'records');
    const engine = await startEngine({ script: () => turn });
    onTestFinished(() => engine.stop());
    const gateway = await startTestGateway({ upstreams: [{ url: engine.baseURL }], record: folder });
    rmSync(join(folder, 'recorded'), { recursive: true });
    writeFileSync(join(folder, 'recorded'), '');
    expect((await post(`${gateway.baseURL}/chat/completions`, ask)).status).toBe(200);
    await until(async () => (await gateway.metric('kimi_tc_recordings_total', { result: 'failed' })) === 1);
    expect(gateway.lines.some(({ msg }) => msg === 'a reply could not be recorded')).toBe(true);
    rmSync(join(folder, 'recorded'));
    mkdirSync(join(folder, 'recorded'));
  });

  test('are not made of errors and of what passes untouched', async () => {
    const { cases } = await record({ behaviour: 'server-error' }, {}, [ask]);
    expect(cases()).toEqual([]);
  });
});

describe('logs', () => {
  test('hold no key and no text, whatever goes wrong', async () => {
    const answers = [
      (status: number, text: string) => ({ status, type: 'application/json', text }),
      (status: number, text: string) => ({ status, type: 'text/event-stream', text }),
    ];
    const bodies = [
      JSON.stringify({ error: { message: `You said ${SECRET}` } }),
      `data: {"error":{"message":"You said ${SECRET}"}}\n\n`,
      SECRET,
      `{"choices": [{"message": {"content": "${SECRET}`,
    ];
    let next = { status: 200, type: '', text: '' };
    const url = await startServer((_, response) => {
      response.writeHead(next.status, { 'content-type': next.type });
      response.write(next.text);
      setTimeout(() => response.destroy(), 5);
    });
    const gateway = await startTestGateway(
      { upstreams: [{ url: `${url}/v1`, apiKeyEnv: 'OWN' }], log: { level: 'trace' } },
      { OWN: 'sk-Geheim4711' },
    );
    const chat = `${gateway.baseURL}/chat/completions`;
    for (const status of [200, 400, 500]) {
      for (const text of bodies) {
        for (const answer of answers) {
          next = answer(status, text);
          const response = await post(chat, { ...ask, stream: true });
          await response.text().catch(() => undefined);
        }
      }
    }
    await post(chat, `{"messages": "${SECRET}`);
    await post(chat, { ...ask, model: SECRET }, { headers: { 'content-encoding': 'sk-Geheim4711' } });
    await until(() => gateway.lines.length >= 26);
    // The model is a name that the client gives; it is logged, so that one may see which is asked for.
    expect(withoutNumbers(gateway.logText())).not.toMatch(LEAK);
  });
});

describe('redaction', () => {
  test('leaves length, marks and syntax', () => {
    const redact = createRedaction(['read', 'read_all'], ['path']);
    for (const [text, expected] of [
      ['Hello, Wörld 42!', 'xxxxx, xxxxx 11!'],
      ['<think>So</think>', '<think>xx</think>'],
      [
        '<|tool_call_begin|>call_9f31<|tool_call_argument_begin|>',
        '<|tool_call_begin|>call_9f31<|tool_call_argument_begin|>',
      ],
      ['functions.read_all:12{"path":"a"}', 'functions.read_all:12{"path":"x"}'],
      ['{"secret":"v","path":null}', '{"xxxxxx":"x","path":null}'],
      ['"{\\"path\\": \\"a\\\\u00e9b\\"}"', '"{\\"path\\": \\"x\\\\u0078x\\"}"'],
      ['[-12, 3.5e-7]', '[-11, 1.1e-1]'],
      ['𝒜𝒷 \u{1f600}', 'xxxx \u{1f600}'],
    ] as const) {
      expect(redact(text)).toBe(expected);
      expect(redact(text)).toHaveLength(text.length);
    }
  });
});
