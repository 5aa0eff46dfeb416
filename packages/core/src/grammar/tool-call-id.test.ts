import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatToolCallId, isIdUnit, parseToolCallId } from './tool-call-id.ts';

test.each([
  ['functions.get_weather:3', 'get_weather', '3', 'native'],
  [' functions.get_weather:3\n', 'get_weather', '3', 'native'],
  ['functions. get_weather : 3', 'get_weather', '3', 'native'],
  ['functions.ns:lookup:12', 'ns:lookup', '12', 'native'],
  ['functions.a.b-c:0', 'a.b-c', '0', 'native'],
  ['functions.f:99999999999999999999', 'f', '99999999999999999999', 'native'],
  ['get_weather:3', 'get_weather', '3', 'no-prefix'],
  ['functions.get_weather', 'get_weather', undefined, 'no-counter'],
  ['functions.get_weather:', 'get_weather', undefined, 'no-counter'],
  ['functions.get_weather:x', 'get_weather', undefined, 'no-counter'],
  ['functions.12', '12', undefined, 'no-counter'],
  ['functions_get_weather_3', 'get_weather', '3', 'joined'],
  ['functions_get_12', 'get', '12', 'joined'],
  ['xfunctions_get_12', '', undefined, 'opaque'],
  ['functions_get_12x', '', undefined, 'opaque'],
  ['3', '', '3', 'counter-only'],
  ['12', '', '12', 'counter-only'],
  ['12x', '', undefined, 'opaque'],
  ['get_weather:x1', '', undefined, 'opaque'],
  ['get_weather:1x', '', undefined, 'opaque'],
  ['functions.', '', undefined, 'opaque'],
  ['functions.:3', '', '3', 'counter-only'],
  ['call_9f31c0de', '', undefined, 'opaque'],
  ['get_weather', '', undefined, 'opaque'],
  ['', '', undefined, 'opaque'],
])('%j', (raw, name, counter, form) => {
  expect(parseToolCallId(raw)).toEqual({ name, counter, form });
});

test.each(['n<read', 'a b', 'f{', 'say "x"', '`f`'])('%j is not an id', (raw) => {
  expect(parseToolCallId(raw)).toBeUndefined();
});

test('what is no text is refused', () => {
  expect(() => parseToolCallId(1 as never)).toThrow(/^raw: expected a string/);
  expect(() => formatToolCallId(undefined as never, 1)).toThrow(/^name: expected a string/);
});

test.each([
  ['a.:-_é查\u0080', true],
  [' \n\u00a0\u3000<>{}"`', false],
])('units of %j may be part of an id: %j', (units, may) => {
  for (const unit of units) expect(isIdUnit(unit.charCodeAt(0))).toBe(may);
  expect(isIdUnit(Number.NaN)).toBe(false);
});

test.each([
  [0, 'functions.f:0'],
  [7, 'functions.f:7'],
  [7n, 'functions.f:7'],
  ['007', 'functions.f:007'],
])('%s is a counter', (counter, id) => {
  expect(formatToolCallId('f', counter)).toBe(id);
});

test.each([-1, 1.5, Number.NaN, 2 ** 53, 1e21, 'x', '', '1x', 'x1'])('%j is no counter', (counter) => {
  expect(() => formatToolCallId('f', counter)).toThrow(/counter: expected a whole number/);
});

test('what is formatted is read back', () => {
  const names = fc.stringMatching(/^[A-Za-z_][\w.:-]{0,20}$/);
  fc.assert(
    fc.property(names, fc.bigInt({ min: 0n }), (name, counter) => {
      expect(parseToolCallId(formatToolCallId(name, counter))).toEqual({
        name,
        counter: String(counter),
        form: 'native',
      });
    }),
  );
});
