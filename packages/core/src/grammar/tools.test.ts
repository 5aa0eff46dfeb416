import { describe, expect, test } from 'vitest';
import { createToolBox, type ToolDefinition } from './tools.ts';

function createTool(name: string, parameters?: Record<string, unknown>): ToolDefinition {
  return { type: 'function', function: { name, parameters } };
}

const NAMES = ['scan', 'scan21', 'scan2', 'ping', 'get-weather', 'a-b_c', 'a_b-c', 'v:1.5'];
const tools = createToolBox(NAMES.map((name) => createTool(name)));

describe('a header', () => {
  test.each([
    ['functions.ping:12', 'ping', '12'],
    ['ping:12', 'ping', '12'],
    ['.ping:0', 'ping', '0'],
    ['functions.mcp.ping:0', 'ping', '0'],
    ['ping', 'ping', undefined],
    ['ping:0x', 'ping', undefined],
    ['v:1.5', 'v:1.5', undefined],
    ['ping:12.55', 'ping', '12'],
    ['ping:3.5x', 'ping', undefined],
    ['functions(ping):12.55', 'ping', '12'],
    ['functions_ping_12', 'ping', '12'],
    ['functionsping3', 'ping', '3'],
    ['functions.scan213', 'scan21', '3'],
    ['get_weather:2', 'get-weather', '2'],
    ['functions_get_weather_2', 'get-weather', '2'],
    ['a_b-c:0', 'a_b-c', '0'],
  ])('%j names the offered %s', (raw, name, counter) => {
    expect(tools.readHeader(raw)).toEqual({ kind: 'named', name, counter, offered: true });
  });

  test.each([
    ['xping:0', 'xping'],
    ['a_b_c:0', 'a_b_c'],
    ['functions_pingx:0', 'functions_pingx'],
  ])('%j names no offered tool', (raw, name) => {
    expect(tools.readHeader(raw)).toEqual({ kind: 'named', name, counter: '0', offered: false });
  });

  test.each([
    ['12', '12'],
    ['functions.:3', '3'],
  ])('%j is a counter', (raw, counter) => {
    const read = { kind: 'anonymous', counter, inferable: true, unwrappable: false };
    expect(tools.readHeader(raw)).toEqual(read);
  });

  test.each([
    'call',
    'call_9f31',
    'call00003',
    'CALL-x',
    'toolu_01',
    'chatcmpl-tool-1',
    '0a1b2c3d4e5f',
    'abcdefabcde1',
    '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
  ])('%j was made up by a server: the arguments may tell', (raw) => {
    const read = { kind: 'anonymous', counter: undefined, inferable: true, unwrappable: true };
    expect(tools.readHeader(raw)).toEqual(read);
  });

  test.each([
    'my_call',
    'calling',
    'call+me+later',
    'deadbeefcafe',
    'zz9f31c0de0000',
    '9f31c0de0000zz',
    '9f31',
    '12x',
    'functionz_ping_0',
    'functions_ping_0x',
    'functions_ping_x0',
  ])('%j may be a tool that was not offered: the arguments tell nothing', (raw) => {
    const read = { kind: 'anonymous', counter: undefined, inferable: false, unwrappable: false };
    expect(tools.readHeader(raw)).toEqual(read);
  });

  test.each(['pi ng:0', 'ping:0}', '<ping>:0'])('%j is none', (raw) => {
    expect(tools.readHeader(raw)).toEqual({ kind: 'malformed' });
  });
});

describe('arguments', () => {
  const text = { type: 'string' };
  const offered = createToolBox([
    createTool('ping', { properties: { host: text, port: text }, required: ['host'] }),
    createTool('list_ports', { properties: null }),
    createTool('read', { properties: { path: text, port: text }, required: ['path'] }),
  ]);

  test.each([
    [{ host: 'a' }, 'ping'],
    [{ path: 'a', port: 'b' }, 'read'],
    [{}, 'list_ports'],
  ])('%j fit one tool', (args, tool) => {
    expect(offered.infer(args)).toBe(tool);
  });

  test.each([[{ port: 'b' }], [{ host: 'a', user: 'b' }], [{ host: 'a', path: 'b' }], [{ toString: 'a' }]])(
    '%j fit none',
    (args) => {
      expect(offered.infer(args)).toBeUndefined();
    },
  );

  test('that fit two tools tell nothing', () => {
    expect(createToolBox([createTool('a'), createTool('b')]).infer({})).toBeUndefined();
  });

  test('are declared by their own schema alone', () => {
    expect(offered.parameter('ping', 'host')).toBe(text);
    expect(offered.parameter('ping', 'toString')).toBeUndefined();
    expect(offered.parameter('list_ports', 'host')).toBeUndefined();
    expect(offered.parameter('pong', 'host')).toBeUndefined();
  });
});

test.each([
  ['ping', /^tools: expected an array of tools/],
  [[null], /^tools\[0\]: expected an object/],
  [['ping'], /^tools\[0\]: expected an object/],
  [[createTool('ping'), createTool('')], /^tools\[1\]\.function\.name: expected a non-empty string/],
  [[{ type: 'function', function: { name: 1 } }], /^tools\[0\]\.function\.name: expected a non-empty string/],
  [[{ type: 'function', function: null }], /^tools\[0\]\.function\.name: expected a non-empty string/],
])('%j are no tools', (given, message) => {
  expect(() => createToolBox(given as never)).toThrow(message);
});
