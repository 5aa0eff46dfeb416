import { expect, it } from 'vitest';
import { readJsonBody } from './read-body.ts';

function post(body: BodyInit, type = 'application/json'): Request {
  return new Request('http://127.0.0.1/', {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    ...({ duplex: 'half' } as object), // fetch wants it for streams; the DOM's types do not know it
  });
}

it('reads JSON whatever the cuts', async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await readJsonBody(post(body, 'application/JSON; charset=utf-8'), 100)).toEqual({ a: 'é' });
});

it('refuses a body that is too long before its end, and leaves it at ten times the limit', async () => {
  let sent = 0;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1_000;
      controller.enqueue(new Uint8Array(1_000));
    },
    cancel: () => leave(),
  });
  await expect(readJsonBody(post(endless), 10_000)).rejects.toMatchObject({ status: 413 });
  expect(sent).toBeLessThan(100_000);
  await left;
  expect(sent).toBeGreaterThan(100_000);
  expect(sent).toBeLessThan(120_000);
});

it.each([
  ['too long', 413, new Uint8Array(1_000)],
  ['no UTF-8', 400, new Uint8Array(10).fill(0xff)],
])('lets a body that is %s come to its end', async (_, status, piece) => {
  let pieces = 5;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pieces-- > 0) return controller.enqueue(piece);
        controller.close();
        end();
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
  await expect(readJsonBody(post(body), 900)).rejects.toMatchObject({ status });
  await ended;
  expect(pieces).toBeLessThan(0);
});

it('wants JSON', async () => {
  await expect(readJsonBody(post('a=b', 'text/plain'), 10)).rejects.toMatchObject({ status: 415 });
  await expect(readJsonBody(post('{"a":'), 10)).rejects.toMatchObject({ status: 400 });
  const broken = Uint8Array.of(0x22, 0xff, 0x22);
  await expect(readJsonBody(post(broken), 10)).rejects.toMatchObject({ status: 400 });
});
