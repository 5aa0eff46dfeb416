import { expect, test } from 'vitest';
import { createOutgoing } from './outgoing.ts';

const decode = (out: readonly Uint8Array[]) => out.map((bytes) => new TextDecoder().decode(bytes));

test('bytes that stood together leave together, as a view of where they stood', () => {
  const read = new TextEncoder().encode('abcdef');
  const out = createOutgoing();
  out.pass(read.subarray(0, 2));
  out.pass(read.subarray(2, 3));
  out.pass(read.subarray(4, 6));
  const taken = out.take();
  expect(decode(taken)).toEqual(['abc', 'ef']);
  for (const { buffer } of taken) expect(buffer).toBe(read.buffer);
});

test('text keeps its place, and is encoded in one piece', () => {
  const bytes = new TextEncoder().encode('ab');
  const out = createOutgoing();
  out.print('1');
  out.print('é');
  out.pass(bytes.subarray(0, 1));
  out.print('2');
  out.pass(bytes.subarray(1));
  expect(decode(out.take())).toEqual(['1é', 'a', '2', 'b']);
  expect(out.take()).toEqual([]);
});

test('nothing is no piece', () => {
  const out = createOutgoing();
  out.pass(new Uint8Array());
  out.print('');
  expect(out.take()).toEqual([]);
});
