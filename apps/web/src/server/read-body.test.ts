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

it('stops a body that is too long before its end', async () => {
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(1_000));
    },
  });
  await expect(readJsonBody(post(endless), 10_000)).rejects.toMatchObject({ status: 413 });
  expect(pulled).toBeLessThan(20);
});

it('wants JSON', async () => {
  await expect(readJsonBody(post('a=b', 'text/plain'), 10)).rejects.toMatchObject({ status: 415 });
  await expect(readJsonBody(post('{"a":'), 10)).rejects.toMatchObject({ status: 400 });
  const broken = Uint8Array.of(0x22, 0xff, 0x22);
  await expect(readJsonBody(post(broken), 10)).rejects.toMatchObject({ status: 400 });
});
