import { describe, expect, it } from 'vitest';
import { calculate, ExpressionError } from './expression.ts';

describe('calculate', () => {
  it.each([
    ['1', 1],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 5', 2],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['(-2) ^ 2', 4],
    ['2 ^ -1', 0.5],
    ['--3', 3],
    ['+5 - -5', 10],
    ['17 % 5', 2],
    ['.5 + 1.', 1.5],
    ['1e3 + 2.5E-1', 1000.25],
    ['9 / 12 * 100', 75],
    ['sqrt(16) + abs(-3)', 7],
    ['max(1, 5, 3) - min(4, 2)', 3],
    ['Round(2.5) + floor(1.9) + ceil(1.1)', 6],
    [' ( 1\t+\n2 ) ', 3],
  ])('%s is %d', (text, value) => {
    expect(calculate(text)).toBe(value);
  });

  it.each([
    ['', /expected a number at position 1/],
    ['1 +', /expected a number at position 4/],
    ['1 2', /expected an operator at position 3/],
    ['(1', /expected '\)' at position 3/],
    ['1)', /expected an operator at position 2/],
    ['1 / 0', /division by zero/],
    ['1 % 0', /division by zero/],
    ['10 ^ 400', /not a finite number/],
    ['sqrt(-1)', /not a finite number/],
    ['sqrt(1, 2)', /takes one number/],
    ['sqrt 4', /expected '\('/],
    ['process.exit()', /no function process/],
    ['constructor(1)', /no function constructor/],
    ['__proto__', /expected a number/],
    ['1..toString()', /expected an operator/],
    ['0x10', /expected an operator/],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, /too deeply nested/],
    [`${'-'.repeat(60)}1`, /too deeply nested/],
    [`${'2^'.repeat(60)}1`, /too deeply nested/],
  ])('%s is refused', (text, message) => {
    expect(() => calculate(text)).toThrow(ExpressionError);
    expect(() => calculate(text)).toThrow(message);
  });

  it('takes long flat expressions', () => {
    expect(calculate(`1${' + 1'.repeat(10_000)}`)).toBe(10_001);
  });
});
