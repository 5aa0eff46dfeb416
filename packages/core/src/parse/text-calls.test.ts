import { describe, expect, test } from 'vitest';
import { createToolBox } from '../grammar/tools.ts';
import { createLenientFinder, readLenientCalls } from './text-calls.ts';

const SCHEMAS = {
  ping: { host: { type: 'string' } },
  count: {
    n: { type: 'integer' },
    any: {},
    odd: null,
    both: { type: ['integer', 'string'] },
    flag: { type: ['boolean', 'null'] },
  },
  scan: {},
  scan2: {},
  'a.b': {},
};
const tools = createToolBox(
  Object.entries(SCHEMAS).map(([name, properties]) => ({
    type: 'function' as const,
    function: { name, parameters: { properties } },
  })),
);
const A = '{"host":"a"}';
const B = '{"host":"b"}';
const call = (name: string, args: string) => ({ name, arguments: args, repaired: false });
const invoke = (host: string) => `<invoke name="ping"><parameter name="host">${host}</parameter></invoke>`;
const UNCLOSED = '<invoke name="ping"><parameter name="host">b</parameter> x';

describe('calls', () => {
  test.each([
    [`ping(${A})`, '', call('ping', A), ''],
    [`So:\nping(${A}) \nEnd`, 'So:\n', call('ping', A), '\nEnd'],
    [`  ping ( ${A}\n )`, '', call('ping', A), ''],
    [`ping\n${A}\n`, '', call('ping', A), ''],
    [`ping(${A})\nping(${B})`, '', call('ping', A), '\n', call('ping', B), ''],
    [`scan2({})\nscan({})`, '', call('scan2', '{}'), '\n', call('scan', '{}'), ''],
    ['a.b({})', '', call('a.b', '{}'), ''],
    [`\`\`\`\nx\n\`\`\`\nping(${A})`, '```\nx\n```\n', call('ping', A), ''],
    [`So ${invoke('a')} and`, 'So ', call('ping', A), ' and'],
    [`${invoke('a')}\n${invoke('b')}`, '', call('ping', A), call('ping', B), ''],
    [`${invoke('a')}${UNCLOSED}`, '', call('ping', A), UNCLOSED],
    [`${invoke('a')}${UNCLOSED}${invoke('b')}`, '', call('ping', A), UNCLOSED, call('ping', B), ''],
    [`${invoke('<b>a</b>')}`, '', call('ping', '{"host":"<b>a</b>"}'), ''],
    [
      '<function_calls>\n <invoke name="ping">\n <parameter name="host">a</parameter>\n </invoke>\n </function_calls>',
      '',
      call('ping', A),
      '',
    ],
    ['<ping>\n <host>a</host>\n </ping>', '', call('ping', A), ''],
    ['<ping><host>1 < a</host></ping>', '', call('ping', '{"host":"1 < a"}'), ''],
    ['<ping><host>a</host></ping><ping><host>b</host></ping>', '', call('ping', A), '', call('ping', B), ''],
    [
      '<count><n> 3\n</n><any>3</any><odd>3</odd><both>3</both><flag>true</flag></count>',
      '',
      call('count', '{"n":3,"any":"3","odd":"3","both":"3","flag":true}'),
      '',
    ],
    ['<ping><host>3</host></ping>', '', call('ping', '{"host":"3"}'), ''],
    ['<count><n>3 4</n></count>', '', call('count', '{"n":"3 4"}'), ''],
    ['<count><n>[3</n></count>', '', call('count', '{"n":"[3"}'), ''],
  ])('stand in %j', (text, ...pieces) => {
    expect(readLenientCalls(text, true, tools)).toEqual(pieces);
  });

  test.each([
    `ping\n${A} and`,
    `ping(${A}) and`,
    `ping(${A}`,
    'ping({"host":"a")',
    'ping({host})',
    `So ping(${A})`,
    `pong(${A})`,
    'aXb({})',
    `\`\`\`\nping(${A})\n\`\`\``,
    `ping\n${A} and\n\`\`\`\nping(${B})\n\`\`\``,
    `\`${invoke('a')}\``,
    invoke('a').slice(0, -9),
    invoke('a').replace('host', 'user'),
    '<ping><host>a</host>',
    '<ping><host>a</ping>',
    '<ping><user>a</user></ping>',
    '<ping><host><b>a</b></host></ping>',
    '<ping>a<host>a</host></ping>',
    '<count><n>3</n><n>4</ping>',
  ])('do not stand in %j', (text) => {
    expect(readLenientCalls(text, true, tools)).toEqual([text]);
  });

  test('depend on what stands in front of the text', () => {
    const text = `ping(${A})`;
    expect(readLenientCalls(text, false, tools)).toEqual([text]);
    expect(readLenientCalls(`\n${text}`, false, tools)).toEqual(['\n', call('ping', A), '']);
    const fenced = `\`\`\`\n${text}`;
    expect(readLenientCalls(invoke('a') + fenced, true, tools)).toEqual(['', call('ping', A), fenced]);
    expect(readLenientCalls(invoke('a') + fenced, false, tools)).toEqual([
      '',
      call('ping', A),
      '```\n',
      call('ping', A),
      '',
    ]);
  });
});

describe('the start of a call', () => {
  const find = createLenientFinder(tools);

  test.each([
    ['ping(', 'ping('],
    ['So\n ping\n', ' ping\n'],
    ['So <ping>a', '<ping>a'],
    ['So <function_calls>', '<function_calls>'],
    ['So <invoke name', '<invoke name'],
  ])('of %j is there', (text, found) => {
    expect(find(text, true)).toEqual({ at: text.length - found.length, opened: true });
  });

  test.each([
    ['', ''],
    ['So', ''],
    ['pi', 'pi'],
    ['So\n pi', ' pi'],
    ['So\nping ', 'ping '],
    ['So\nping x', ''],
    ['So <', '<'],
    ['So <invo', '<invo'],
    ['So <b', ''],
    ['ping <', '<'],
    [`So\n${' '.repeat(513)}`, ''],
  ])('of %j may come', (text, held) => {
    expect(find(text, true)).toEqual({ at: text.length - held.length, opened: false });
  });

  test('depends on what stands in front of the text', () => {
    expect(find('ping(', false)).toEqual({ at: 5, opened: false });
    expect(find('pi', false)).toEqual({ at: 2, opened: false });
    expect(find('ping(\nping(', false)).toEqual({ at: 6, opened: true });
    expect(find('<ping>', false)).toEqual({ at: 0, opened: true });
  });
});
