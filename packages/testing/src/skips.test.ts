import { expect, test } from 'vitest';
import { loadCases } from './load-cases.ts';
import { checkSkips, skipReason } from './skips.ts';

const cases = loadCases({ topics: ['text'] });
const [one, other] = cases as [(typeof cases)[0], (typeof cases)[0]];

test('a skip names a case that is played, and carries a reason', () => {
  expect(() => checkSkips({ [one.id]: 'the host drops it' }, cases)).not.toThrow();
  expect(() => checkSkips({ 'no-such-case': 'why' }, cases)).toThrow(
    'skip: no case no-such-case is played here',
  );
  expect(() => checkSkips({ [one.id]: 'why' }, [other])).toThrow(`skip: no case ${one.id} is played here`);
  expect(() => checkSkips({ [one.id]: ' ' }, cases)).toThrow(`skip: ${one.id} has no reason`);
});

test('a case that fails may be skipped, one that passes may not', () => {
  expect(skipReason({ [one.id]: 'why' }, one, 'content: differs')).toBe('why');
  expect(skipReason({ [one.id]: 'why' }, other, 'content: differs')).toBeUndefined();
  expect(() => skipReason({ [one.id]: 'why' }, one, undefined)).toThrow(
    `${one.id} passes: remove it from skip (why)`,
  );
});
