import { readUIMessageStream, type UIMessageChunk } from 'ai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChatMessage, ChatPart } from '../../../agent/chat-message.ts';
import { toWire } from '../../../chat/settle-messages.ts';
import { isToolPart, nameOf } from '../../../chat/tool-part.ts';
import { bodyLimit, textLimit } from '../../../server/limits.ts';
import { POST } from './route.ts';

beforeAll(() => {
  vi.stubEnv('PRETEND_DELAY_MS', '0');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const ask = (text: string): ChatMessage => ({ id: 'q', role: 'user', parts: [{ type: 'text', text }] });

function post(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return POST(
    new Request('http://127.0.0.1:3000/api/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: '127.0.0.1:3000', ...headers },
      body: text,
      ...(signal && { signal }),
    }),
  );
}

/** Goes on with a conversation as the page does. */
async function goOn(messages: ChatMessage[], server: string): Promise<ChatMessage> {
  const response = await post({ messages: toWire(messages), server });
  expect(response.status).toBe(200);
  const last = messages.at(-1);
  let reply: ChatMessage | undefined;
  const stream = readUIMessageStream<ChatMessage>({
    stream: response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(parseEvents()) as never,
    ...(last?.role === 'assistant' && { message: last }),
    onError: (error) => {
      throw error;
    },
  });
  for await (const message of stream) reply = message;
  if (!reply) throw new Error('there was no reply');
  return reply;
}

function parseEvents(): TransformStream<string, UIMessageChunk> {
  let rest = '';
  return new TransformStream({
    transform(text, controller) {
      const events = (rest + text).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.replace(/^data: /, '');
        if (data !== '[DONE]') controller.enqueue(JSON.parse(data) as UIMessageChunk);
      }
    },
  });
}

function answerApproval(message: ChatMessage, approved: boolean): ChatMessage {
  return {
    ...message,
    parts: message.parts.map((part) =>
      isToolPart(part) && part.state === 'approval-requested'
        ? ({ ...part, state: 'approval-responded', approval: { ...part.approval, approved } } as ChatPart)
        : part,
    ),
  };
}

describe('a conversation', () => {
  it.each(['raw-content', 'healthy', 'stripped-tokens', 'section-end-missing', 'interleaved-calls'])(
    'goes to its end over %s, and the order waits for the user',
    async (server) => {
      const question = ask('Order twelve notebooks for the office.');
      const half = await goOn([question], server);
      const calls = half.parts.filter(isToolPart);
      expect(calls.map((part) => [nameOf(part), part.state])).toEqual([
        ['read_notes', 'output-available'],
        ['calculator', 'output-available'],
        ['send_order', 'approval-requested'],
      ]);

      const sent = await goOn([question, answerApproval(half, true)], server);
      expect(sent.parts.filter(isToolPart).at(-1)).toMatchObject({
        state: 'output-available',
        output: { order: expect.stringMatching(/^PO-/), sentTo: 'Papier & Feder' },
      });
      expect(JSON.stringify(sent.parts.at(-1))).toContain('is on its way');

      const refused = await goOn([question, answerApproval(half, false)], server);
      expect(refused.parts.filter(isToolPart).at(-1)).toMatchObject({ state: 'output-denied' });
      expect(JSON.stringify(refused.parts.at(-1))).toContain('I have **not** sent the order');
    },
  );

  it('says beside each reply what a plain provider makes of it, and how long the model thought', async () => {
    const reply = await goOn([ask('How warm is it in Lisbon?')], 'raw-content');
    const plain = reply.parts.flatMap((part) => (part.type === 'data-plain' ? [part.data] : []));
    expect(plain.map(({ step, finishReason }) => [step, finishReason])).toEqual([
      [0, 'stop'],
      [1, 'stop'],
    ]);
    expect(JSON.stringify(plain[0]?.blocks)).toContain('<|tool_call_begin|>functions.get_weather:0');
    const thought = reply.parts.find(({ type }) => type === 'reasoning');
    expect(thought).toMatchObject({ providerMetadata: { thinking: { milliseconds: expect.any(Number) } } });
  });

  it('reports problems of a reply with the reply', async () => {
    const reply = await goOn([ask('How warm is it in Lisbon?')], 'stripped-tokens');
    expect(reply.parts.find(({ type }) => type === 'data-problems')).toMatchObject({
      data: { step: 0, problems: [{ code: 'text-call-recovered' }] },
    });
  });

  it('shows that a tool failed', async () => {
    const reply = await goOn([ask('How is the weather in Atlantis?')], 'raw-content');
    expect(reply.parts.find(isToolPart)).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('There is no weather for Atlantis.'),
    });
    expect(JSON.stringify(reply.parts.at(-1))).toContain('I have no weather for Atlantis');
  });

  it('keeps notes as long as the conversation', async () => {
    const first = ask('Note that the call moved to Thursday.');
    const noted = await goOn([first], 'raw-content');
    const reply = await goOn([first, noted, { ...ask('What do my notes say?'), id: 'q2' }], 'raw-content');
    expect(JSON.stringify(reply.parts.at(-1))).toContain('The call moved to Thursday.');
  });
});

it('stops in the middle when the page goes away', async () => {
  vi.stubEnv('PRETEND_DELAY_MS', '20');
  const leaving = new AbortController();
  const body = { messages: [ask('Order twelve notebooks.')], server: 'raw-content' };
  const response = await post(body, {}, leaving.signal);
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes('"reasoning-delta"')) leaving.abort();
  }
  vi.stubEnv('PRETEND_DELAY_MS', '0');
  expect(text).toContain('"type":"abort"');
  expect(text).not.toContain('tool-input-available');
});

describe('refuses', () => {
  const body = { messages: [ask('Hello')], server: 'raw-content' };

  it.each<[string, unknown, Record<string, string>, number, string]>([
    ['another site', body, { 'sec-fetch-site': 'cross-site' }, 403, 'this site only'],
    ['another origin', body, { origin: 'https://evil.example' }, 403, 'this site only'],
    ['another type', body, { 'content-type': 'text/plain' }, 415, 'application/json'],
    ['what is no JSON', '{', {}, 400, 'JSON'],
    ['a body that is too long', ' '.repeat(bodyLimit + 1), {}, 413, 'too long'],
    ['unknown fields', { ...body, model: 'x' }, {}, 400, 'model'],
    ['no messages', { ...body, messages: [] }, {}, 400, 'messages'],
    ['what are no messages', { ...body, messages: [{ role: 'king' }] }, {}, 400, 'messages:'],
    ['system messages', { ...body, messages: [{ ...ask('x'), role: 'system' }] }, {}, 400, 'system'],
    ['long questions', { ...body, messages: [ask('x'.repeat(textLimit + 1))] }, {}, 400, '8000 characters'],
    ['an unknown server', { ...body, server: 'nobody' }, {}, 400, 'none called nobody'],
    ['names of the prototype', { ...body, server: 'constructor' }, {}, 400, 'none called constructor'],
    ['an endpoint that is not set up', { ...body, server: 'endpoint' }, {}, 400, 'none called endpoint'],
    [
      'arguments that a tool does not have',
      {
        ...body,
        messages: [
          ask('x'),
          {
            id: 'r',
            role: 'assistant',
            parts: [
              {
                type: 'tool-get_weather',
                toolCallId: 'a',
                state: 'output-available',
                input: { town: 1 },
                output: 1,
              },
            ],
          },
          ask('y'),
        ],
      },
      {},
      400,
      'messages:',
    ],
    [
      'to speak again unasked',
      { ...body, messages: [{ id: 'r', role: 'assistant', parts: [{ type: 'text', text: 'x' }] }] },
      {},
      400,
      'the last one',
    ],
  ])('%s', async (_, given, headers, status, text) => {
    const response = await post(given, headers);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });
});
