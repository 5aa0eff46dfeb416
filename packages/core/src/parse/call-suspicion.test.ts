import { expect, test } from 'vitest';
import { createToolBox } from '../grammar/tools.ts';
import { createCallSuspicion } from './call-suspicion.ts';

const tools = createToolBox(
  ['ping', 'list_ports'].map((name) => ({ type: 'function', function: { name } }) as const),
);
const A = '{"host":"a"}';
/** The most white space that a form may have in one place. */
const WIDE = ' '.repeat(9);
const PROSE = 'She said {so} <b>.\n'.repeat(400);

function suspects(text: string, length: number): boolean {
  const suspicion = createCallSuspicion(tools);
  for (let at = 0; at < text.length; at += length) suspicion.watch(text.slice(at, at + length));
  return suspicion.end();
}

test.each([
  `ping(${A})`,
  `ping(${A})\nDone.`,
  `ping(${A} \n) \n Done.`,
  `\n  ping ( ${A} )`,
  `ping\n${A}`,
  `ping\r\n ${A} \n`,
  `ping(${A}) and\nlist_ports({})`,
  `ping\n${A} and\nlist_ports({})\n`,
  '<invoke name="ping"></invoke>',
  '<invoke name="pong"></invoke><invoke name="ping"></invoke>',
  'So <ping><host>a</host></ping> and',
  `${PROSE}ping(${A})`,
  `So it is.\n${WIDE}ping${WIDE}(${WIDE}${A}${WIDE})`,
  `So it is.\n${WIDE}ping${WIDE}\r\n${WIDE}${A}`,
  'So it is. <invoke name="pi"><invoke name="ping"></invoke>',
  `<ping>${PROSE}</ping>`,
])('%j looks like a call', (text) => {
  expect([suspects(text, text.length), suspects(text, 1), suspects(text, 3)]).toEqual([true, true, true]);
});

test.each([
  '',
  'ping',
  `ping ${A}`,
  `So ping(${A})`,
  `So ping\n${A}`,
  `pong(${A})`,
  `ping(${A}`,
  `ping(${A}) and`,
  `ping(${A}))`,
  'ping({"host":"a")',
  'ping({host})',
  `ping\n${A}\nand`,
  `ping\n${A})`,
  `ping\n${A})\nand`,
  '<invoke name="pong"></invoke>',
  '<invoke name="ping">',
  '<ping>',
  '</ping>',
  '</ping><ping>',
  '<ping></list_ports>',
  '<pong></pong>',
  PROSE,
])('%j does not', (text) => {
  expect([suspects(text, text.length || 1), suspects(text, 1), suspects(text, 3)]).toEqual([
    false,
    false,
    false,
  ]);
});
