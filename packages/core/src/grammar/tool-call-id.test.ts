import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatToolCallId, parseToolCallId } from './tool-call-id.ts';

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
  ['functions_get_weather_3', 'get_weather', '3', 'joined'],
  ['3', '', '3', 'counter-only'],
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

test.each([-1, 1.5, Number.NaN, 1e21, 'x', ''])('%j is no counter', (counter) => {
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
