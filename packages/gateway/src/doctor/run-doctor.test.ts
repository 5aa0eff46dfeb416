import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKimiFetch } from '@kimi-tc/openai';
import {
  type BehaviourName,
  behaviours,
  type Engine,
  type EngineOptions,
  type EngineRequest,
  startEngine,
  type Turn,
} from '@kimi-tc/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { isObject, objectsOf, textOf } from '../json.ts';
import { type FaultCode, faults } from './faults.ts';
import { type DoctorOptions, type Report, runDoctor } from './run-doctor.ts';

const running = new Set<Engine>();
const servers = new Set<Server>();

afterEach(async () => {
  await Promise.all([...running].map((engine) => engine.stop()));
  running.clear();
  for (const server of servers) server.close().closeAllConnections();
  servers.clear();
});

/** Says what a healthy model would, in its own raw text; it knows nothing of the doctor but what it is told. */
function answer({ body }: EngineRequest): Turn {
  const { messages, tools, tool_choice: choice, max_tokens: limit } = body as Record<string, unknown>;
  const history = objectsOf(messages);
  const said = textOf(history.at(-1)?.content);
  const count = history.flatMap((message) => objectsOf(message.tool_calls)).length;
  if (!tools || choice === 'none') return { text: '<think>No tool is needed.</think>Hello! How are you?' };
  if (limit === 96)
    return { text: '<think>Many numbers.</think>one, two, three, four', finishReason: 'length' };
  const cities = [...said.matchAll(/for (Paris|Oslo)/g)].map(
    ([, city]) => ['get_weather', { city }] as const,
  );
  const forced = isObject(choice) ? [['get_weather', { city: 'Paris' }] as const] : [];
  const notes = said.includes('write_note')
    ? [['write_note', { title: 'Groceries', text: 'milk and bread\na dozen eggs' }] as const]
    : [];
  const calls = [...cities, ...notes, ...forced].map(
    ([name, args], at) =>
      `<|tool_call_begin|>functions.${name}:${count + at}<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|>`,
  );
  if (calls.length === 0) return { text: '<think>No tool is needed.</think>Hello! How are you?' };
  return {
    text: `<think>I call a tool.</think>Let me look.<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`,
  };
}

async function examine(
  behaviour: EngineOptions['behaviour'],
  engineOptions: Partial<EngineOptions> = {},
  options: Partial<DoctorOptions> = {},
): Promise<Report> {
  const engine = await startEngine({ script: answer, behaviour: behaviour ?? 'healthy', ...engineOptions });
  running.add(engine);
  return runDoctor({
    baseUrl: engine.baseURL,
    // Long, as some machines are slow or busy elsewhere.
    timeoutMs: 30_000,
    retryMs: 5,
    slowMs: 30_000,
    parallel: 4,
    ...options,
  });
}

function codesOf({ findings }: Report): FaultCode[] {
  return findings.map(({ code }) => code).sort();
}

const rawCalls: FaultCode[] = ['reasoning-in-content', 'calls-in-content'];

/** What is found at an engine that does only this. A new behaviour has no verdict until it has a row. */
const verdicts: Readonly<Record<BehaviourName, readonly FaultCode[]>> = {
  healthy: [],
  'split-reasoning': ['calls-in-content'],
  'raw-content': rawCalls,
  'raw-reasoning': ['calls-in-reasoning', 'answer-in-reasoning'],
  'raw-reasoning-field': ['calls-in-reasoning', 'answer-in-reasoning', 'reasoning-field'],

  'stripped-tokens': ['reasoning-in-content', 'tokens-stripped'],
  'think-close-stripped': [...rawCalls, 'think-not-closed'],
  'begin-markers-swallowed': [...rawCalls, 'begin-tokens-lost'],
  'section-end-missing': [...rawCalls, 'section-not-closed'],
  'call-end-missing': [...rawCalls, 'call-not-closed'],
  'singular-section-markers': [...rawCalls, 'section-tokens-singular'],
  'spaced-markers': [...rawCalls, 'tokens-spaced'],
  'noise-in-section': [...rawCalls, 'noise-in-section'],
  'ids-without-prefix': [...rawCalls, 'id-without-prefix'],
  'glued-ids': [...rawCalls, 'id-glued'],
  'underscored-ids': [...rawCalls, 'id-underscored'],
  'bare-counter-ids': [...rawCalls, 'id-bare-counter'],
  'opaque-ids-in-text': [...rawCalls, 'id-opaque'],
  // The engine writes such arguments in one piece, which is seen as well.
  'control-characters-in-arguments': ['arguments-with-control-characters', 'arguments-at-once'],
  'double-encoded-arguments': ['arguments-double-encoded'],

  'reasoning-field': ['reasoning-field'],
  'native-and-leaked': ['call-also-in-text'],
  'finish-stop-with-calls': ['finish-not-tool-calls'],
  'reasoning-only': ['empty-turn'],
  'foreign-ids-end-turn': ['foreign-ids-end-turn'],
  'conversation-index': ['call-index-not-dense'],
  'generated-ids': ['ids-not-native'],
  'repeated-ids': ['ids-repeated'],
  'space-before-name': ['tool-name-changed'],
  'arguments-at-once': ['arguments-at-once'],
  'arguments-twice': ['arguments-repeated'],

  'empty-tool-call-deltas': ['calls-missing'],
  'tool-calls-on-every-delta': ['empty-tool-calls'],
  'fresh-id-per-fragment': ['call-id-changes'],
  'empty-role-and-type': ['fields-empty'],
  'split-name': ['name-in-fragments'],
  'repeated-name': ['name-repeated'],
  'empty-name-on-fragments': ['name-empty-on-fragments'],
  'whole-call-in-one-delta': ['call-at-once'],
  'same-index-twice': ['same-index-twice'],
  'one-index-for-all-calls': ['calls-share-index'],
  'interleaved-calls': ['calls-interleaved'],
  'arguments-as-object': ['arguments-as-object'],
  'reasoning-in-both-fields': ['reasoning-in-both-fields'],
  'finish-twice': ['finish-repeated'],
  'no-finish': ['finish-missing'],
  'usage-in-choices': ['usage-in-choices'],

  'missing-done': ['done-missing'],
  'cut-mid-call': ['connection-cut'],
  'error-mid-stream': ['error-in-stream', 'server-error'],
  'keep-alive-comments': ['keep-alive-comments'],
  'keep-alive-as-data': ['data-not-json'],
  crlf: ['lines-end-in-crlf'],
  'tight-data-lines': ['no-space-behind-data'],
  'event-lines': ['event-fields'],
  'byte-order-mark': ['byte-order-mark'],
  'slow-first-byte': ['slow-first-byte'],

  'rate-limited': ['rate-limited'],
  'rate-limited-once': ['rate-limited-at-times'],
  'server-error': ['server-error'],
  'server-error-once': ['server-error-at-times'],
  'connection-reset': ['connection-reset'],
  'connection-reset-once': ['connection-reset-at-times'],
  'html-error-page': ['html-error-page'],
  'tool-use-failed': ['tool-use-failed'],

  'reasoning-replay-required': ['reasoning-replay-required'],
  'empty-content-refused': ['empty-content-refused'],
  'null-character-refused': ['null-character-refused'],
  'sampling-pinned': ['sampling-pinned'],
  'forced-tool-refused': ['forced-tool-refused'],
  'thinking-beside-effort-refused': ['thinking-beside-effort-refused'],
  'tool-limit': ['tool-limit'],
  'strict-tool-names': ['tool-names-restricted'],
  'type-beside-any-of-refused': ['any-of-refused'],
};

/** What a test of a behaviour needs besides: how long the engine is slow, and from when on that is told. */
const slow: readonly [Partial<EngineOptions>, Partial<DoctorOptions>] = [
  { slowMs: 150 },
  { slowMs: 100, parallel: 16 },
];

test('there is a verdict for each behaviour of the pretend engine', () => {
  expect(Object.keys(verdicts).sort()).toEqual(Object.keys(behaviours).sort());
});

describe('names what a server does, and nothing else', () => {
  test.each(Object.keys(behaviours) as BehaviourName[])('%s', async (behaviour) => {
    const [engineOptions, options] = behaviour === 'slow-first-byte' ? slow : [];
    const report = await examine(behaviour, engineOptions, options);
    expect(codesOf(report), JSON.stringify(report, null, 1)).toEqual(
      [...(verdicts[behaviour] ?? ['?'])].sort(),
    );
    const hasFault = report.findings.some(({ code }) => faults[code].level === 'fault');
    expect(report.healthy).toBe(!hasFault);
  });
});

describe('has no fault to tell of a healthy server', () => {
  const others: [string, Partial<EngineOptions>][] = [
    ['in single units', { chunking: 'units' }],
    ['in large pieces', { chunking: 1000 }],
    ['in random pieces, and bytes', { chunking: { seed: 7 }, byteCuts: { seed: 3, max: 40 } }],
    ['with pauses', { delayMs: 1 }],
    ['that asks for a key', { apiKey: 'sesame' }],
    ['with one model', { models: ['kimi-k2.5'] }],
    ['with one Kimi model among others', { models: ['qwen3', 'moonshotai/Kimi-K2-Instruct-0905'] }],
    ['that does not think', { script: (request) => withoutThought(answer(request)) }],
    [
      'whose model calls no tool by itself',
      { script: (request) => (isForced(request) ? answer(request) : 'No need.') },
    ],
  ];
  test.each(others)('%s', async (_, options) => {
    const report = await examine('healthy', options, { apiKey: 'sesame' });
    expect(report.healthy, JSON.stringify(report, null, 1)).toBe(true);
  });

  function isForced({ body }: EngineRequest): boolean {
    return isObject((body as Record<string, unknown>).tool_choice);
  }

  function withoutThought(turn: Turn): Turn {
    return { ...turn, text: String(turn.text).replace(/<think>.*<\/think>/, '') };
  }
});

/** The doctor says what mends a fault; here it asks again through that. */
describe('what it says mends a fault does', () => {
  const mended = (Object.keys(behaviours) as BehaviourName[]).filter((behaviour) =>
    verdicts[behaviour].some((code) => faults[code].mendedIn !== 'nothing'),
  );
  test.each(mended)('%s', async (behaviour) => {
    const fetch = createKimiFetch({ endpoint: 'router' });
    const report = await examine(behaviour, {}, { fetch, model: 'kimi-k2.6' });
    // Ids pass to the client, and are rewritten when they come back in a history (`foreign-ids-end-turn`).
    const left = report.findings.filter(
      ({ mendedIn, code }) => mendedIn !== 'nothing' && code !== 'ids-not-native',
    );
    expect(left, JSON.stringify(report.findings, null, 1)).toEqual([]);
  });
});

type Body = Readonly<Record<string, unknown>>;

/** A server that answers anything to a request for a completion. @returns its base URL */
async function serve(respond: (body: Body, res: ServerResponse, path: string) => unknown): Promise<string> {
  const server = createServer(async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece as Buffer);
    await respond(JSON.parse(Buffer.concat(pieces).toString()) as Body, res, req.url ?? '');
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Writes one choice as the request wants it, in one chunk if it is streamed. */
function send(res: ServerResponse, { stream }: Body, message: Body, finish_reason = 'stop'): void {
  if (stream !== true) {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason }], usage }));
    return;
  }
  res.setHeader('content-type', 'text/event-stream');
  const chunk = { choices: [{ index: 0, delta: message, finish_reason }], usage };
  res.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}

function toCall(more: Body, args = '{"city":"Paris"}', name = 'get_weather'): Body {
  return {
    index: 0,
    id: 'functions.get_weather:0',
    type: 'function',
    function: { name, arguments: args },
    ...more,
  };
}

const holds = (body: Body, text: string): boolean => JSON.stringify(body).includes(text);

/** A server that answers in its own way, or the healthy pretend engine with one more rule. */
interface Stranger {
  readonly respond?: Parameters<typeof serve>[0];
  readonly refuses?: (body: Body) => boolean;
  readonly options?: Partial<DoctorOptions>;
}

async function examineStranger(stranger: Stranger, more: Partial<DoctorOptions> = {}): Promise<Report> {
  const { respond, refuses = () => false } = stranger;
  const options = { model: 'kimi-k2.6', ...stranger.options, ...more };
  if (respond) return examine('healthy', {}, { baseUrl: await serve(respond), ...options });
  const onRequest = ({ body }: EngineRequest): void => {
    if (refuses(body as Body)) throw new Error('not like that');
  };
  return examine('healthy', { onRequest }, options);
}

/** Answers each request with the same message. */
function always(message: Body, finishReason?: string): Stranger {
  return { respond: (body, res) => send(res, body, message, finishReason) };
}

const rawHeader = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather';
const hello = { choices: [{ index: 0, message: { content: 'Hi.' }, finish_reason: 'stop' }] };
let waits = true;

/** What no behaviour of the pretend engine shows, and who does it. */
const strangers: Readonly<Partial<Record<FaultCode, Stranger>>> = {
  'end-token-in-text': always({ content: 'Hi.<|im_end|>' }),
  'id-without-counter': always({
    content: `${rawHeader}<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
  }),
  'stream-differs': {
    respond: (body, res) => {
      const message = { reasoning_content: 'Hm.', tool_calls: [toCall({})] };
      send(res, body, message, body.stream === true ? 'tool_calls' : 'stop');
    },
  },
  'id-missing': always({ tool_calls: [toCall({ id: '' })] }, 'tool_calls'),
  'unknown-tool': always({ tool_calls: [toCall({}, '{}', 'look_up')] }, 'tool_calls'),
  'arguments-not-json': always({ tool_calls: [toCall({}, '{city: Paris}')] }, 'tool_calls'),
  'cut-call-as-complete': always({ tool_calls: [toCall({}, '{"city":"Pa')] }, 'tool_calls'),
  'tool-choice-ignored': always({ tool_calls: [toCall({})] }, 'tool_calls'),
  'forced-tool-ignored': always({ content: 'Good morning!' }),
  'text-at-once': always({ content: 'word '.repeat(60) }),
  'stream-held-back': {
    respond: async (_, res) => {
      // Headers at once, and all chunks together behind a long wait.
      res.setHeader('content-type', 'text/event-stream');
      res.flushHeaders();
      // A tenth of it may pass before the client has seen the headers.
      if (waits) await sleep(5000);
      waits = false;
      const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'a ' } }] })}\n\n`;
      res.end(`${chunk.repeat(30)}data: [DONE]\n\n`);
    },
  },
  'usage-missing': {
    respond: (_, res) => res.setHeader('content-type', 'application/json').end(JSON.stringify(hello)),
  },
  'stream-ignored': { respond: (_, res) => send(res, {}, { content: 'Hi.' }) },
  'no-answer-in-time': { respond: () => {}, options: { timeoutMs: 100 } },
  'request-refused': { refuses: () => true },
  'errors-unreadable': {
    respond: (body, res) => {
      if (Array.isArray(body.messages)) send(res, body, { content: 'Hi.' });
      else res.writeHead(422).end('"messages" it is not');
    },
  },
  'no-chat-endpoint': {
    respond: (body, res, path) => {
      if (path !== '/v1/completions') return res.writeHead(404).end();
      return res.end(JSON.stringify({ choices: [{ index: 0, text: String(body.prompt) }] }));
    },
  },
  'foreign-ids-refused': { refuses: (body) => holds(body, 'call_9f31') },
  'schema-keywords-refused': { refuses: (body) => holds(body, '$schema') },
  'developer-role-refused': { refuses: (body) => holds(body, '"developer"') },
  'content-parts-refused': {
    refuses: (body) => objectsOf(body.messages).some(({ content }) => Array.isArray(content)),
  },
  'client-fields-refused': { refuses: (body) => 'prompt_cache_key' in body },
};

describe('names what only other servers do', () => {
  test.each(Object.entries(strangers))('%s', async (code, stranger) => {
    const report = await examineStranger(stranger);
    expect(codesOf(report), JSON.stringify(report.findings, null, 1)).toContain(code);
  });

  test('so that nothing it knows is never seen', () => {
    const seen = new Set<string>([...Object.values(verdicts).flat(), ...Object.keys(strangers)]);
    expect([...seen].sort()).toEqual(Object.keys(faults).sort());
  });

  const mended = Object.entries(strangers).filter(
    ([code]) => faults[code as FaultCode].mendedIn !== 'nothing',
  );
  test.each(mended)('%s is mended as it says', async (code, stranger) => {
    const report = await examineStranger(stranger, { fetch: createKimiFetch({ endpoint: 'router' }) });
    expect(codesOf(report), JSON.stringify(report.findings, null, 1)).not.toContain(code);
  });
});

test('a parameter that is refused alone is not blamed on the other one', async () => {
  const report = await examineStranger({ refuses: (body) => 'thinking' in body });
  expect(codesOf(report)).toEqual([]);
  expect(report.probes.find(({ name }) => name === 'thinking-and-effort')).toMatchObject({
    outcome: 'inconclusive',
    reason: expect.stringContaining('refused without it, too'),
  });
});

test('a call that the token limit cuts is fine if the server says so', async () => {
  const report = await examineStranger(always({ tool_calls: [toCall({}, '{"city":"Pa')] }, 'length'));
  expect(report.probes.find(({ name }) => name === 'cut-call')).toMatchObject({ outcome: 'passed' });
});

test('stops when it is told to', async () => {
  const stop = new AbortController();
  const respond = (): void => stop.abort(new Error('enough'));
  const report = examineStranger({ respond, options: { signal: stop.signal } });
  await expect(report).rejects.toThrow('enough');
});
