import { Readable } from 'node:stream';
import { startEngine } from '@kimi-tc/testing';
import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renameModelInStream } from './rename-model.ts';
import { post, startServer, startTestGateway } from './test-gateway.ts';

async function* cut(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function rename(text: string, length: number): Promise<string> {
  const body = Readable.toWeb(Readable.from(cut(new TextEncoder().encode(text), length)));
  return new Response(renameModelInStream(body as ReadableStream<Uint8Array>, 'fast')).text();
}

describe('a stream', () => {
  test('is renamed wherever it is cut, and whatever its lines end in', async () => {
    const piece = fc.constantFrom(
      ...[
        'data:{"model":"k2","text":"é😀"}',
        'data: {"id":1,',
        'data: "model":"k2"}',
        'data: {"error":"model"}',
      ],
      ...[
        'data: [DONE]',
        'event: x',
        'id: 7',
        ': wait',
        'data: {"choices":[{"model":"k2"}]}',
        'data: no JSON',
      ],
      ...['', ''],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(piece, fc.constantFrom('\n', '\r\n', '\r'))),
        fc.integer({ min: 1, max: 40 }),
        async (lines, length) => {
          const text = lines.map((line) => line.join('')).join('');
          expect(meaningOf(await rename(text, length))).toEqual(meaningOf(text).map(toFast));
          // Nothing that names no model is touched.
          const other = text.replaceAll('"model":', '"mode":');
          expect(await rename(other, length)).toBe(other);
        },
      ),
    );
  });

  test('gives each event out with the bytes that end it', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const reader = renameModelInStream(readable, 'fast').getReader();
    const writer = writable.getWriter();
    for (const model of ['k2', 'k2.5']) {
      writer.write(new TextEncoder().encode(`data: {"model":"${model}"}\n\ndata: {"mod`));
      const { value } = await reader.read();
      expect(new TextDecoder().decode(value)).toMatch(/data: \{"model":"fast"\}\n\n$/);
      writer.write(new TextEncoder().encode('el":"k2"}\n\n'));
      expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: {"model":"fast"}\n\n');
    }
  });
});

/** The events of a stream as clients read them: other lines, and data. */
function meaningOf(text: string): { rest: string[]; data: string }[] {
  const events: { rest: string[]; data: string }[] = [];
  let rest: string[] = [];
  let data: string[] = [];
  for (const line of [...text.split(/\r\n|\n|\r/), '']) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
    else if (line !== '') rest.push(line);
    else if (rest.length + data.length > 0) {
      events.push({ rest, data: data.join('\n') });
      rest = [];
      data = [];
    }
  }
  return events;
}

function toFast({ rest, data }: { rest: string[]; data: string }): { rest: string[]; data: string } {
  try {
    const value = JSON.parse(data) as { model?: string };
    return value.model === undefined
      ? { rest, data }
      : { rest, data: JSON.stringify({ ...value, model: 'fast' }) };
  } catch {
    return { rest, data };
  }
}

describe('a client that asks for a model by a name of the gateway', () => {
  async function start(behaviour: 'healthy' | 'raw-content', map: Record<string, string>) {
    const engine = await startEngine({ script: () => 'Hello.', behaviour });
    onTestFinished(() => engine.stop());
    const gateway = await startTestGateway({ upstreams: [{ url: engine.baseURL, models: map }] });
    return {
      engine,
      gateway,
      client: new OpenAI({ baseURL: gateway.baseURL, apiKey: 'none', maxRetries: 0 }),
    };
  }

  test.each(['healthy', 'raw-content'] as const)('finds it in all replies (%s)', async (behaviour) => {
    const { engine, client } = await start(behaviour, { fast: 'kimi-k2' });
    const messages = [{ role: 'user' as const, content: 'Go.' }];
    const names = new Set<string>();
    names.add((await client.chat.completions.create({ model: 'fast', messages })).model);
    names.add((await client.completions.create({ model: 'fast', prompt: 'Go.' })).model);
    const chat = { model: 'fast', messages, stream: true, stream_options: { include_usage: true } } as const;
    let text = '';
    for await (const { model, choices } of await client.chat.completions.create(chat)) {
      names.add(model);
      text += choices[0]?.delta.content ?? '';
    }
    expect(text).toBe('Hello.');
    const completion = { model: 'fast', prompt: 'Go.', stream: true } as const;
    for await (const { model } of await client.completions.create(completion)) names.add(model);
    expect([...names]).toEqual(['fast']);
    const asked = engine.requests.filter(({ method }) => method === 'POST');
    expect(asked.map(({ body }) => (body as { model: string }).model)).toEqual(Array(4).fill('kimi-k2'));
  });

  test('finds it whatever the upstream calls the model itself', async () => {
    const url = await startServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"model":"moonshotai/Kimi-K2-0905","choices":[{"message":{"content":"Hi."}}]}');
    });
    const gateway = await startTestGateway({ upstreams: [{ url, models: { fast: 'kimi-k2' } }] });
    const ask = { model: 'fast', messages: [{ role: 'user', content: 'Go.' }] };
    const reply = await (await post(`${gateway.baseURL}/chat/completions`, ask)).json();
    expect(reply).toMatchObject({ model: 'fast', choices: [{ message: { content: 'Hi.' } }] });
  });

  test('gets the bytes of the upstream where the name is the same', async () => {
    const { engine, gateway } = await start('healthy', { 'kimi-k2': 'kimi-k2' });
    const body = { model: 'kimi-k2', messages: [{ role: 'user', content: 'Go.' }], stream: true };
    const [through, direct] = await Promise.all(
      [gateway, engine].map(async ({ baseURL }) => {
        const text = await (await post(`${baseURL}/chat/completions`, body)).text();
        return text.replace(/cmpl-\d+/g, 'cmpl');
      }),
    );
    expect(through).toBe(direct);
  });
});
