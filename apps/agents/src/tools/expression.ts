/** A calculation is wrong: where, and what was expected. */
export class ExpressionError extends Error {
  override readonly name: string = 'ExpressionError';
}

/** Parentheses, signs and powers that may stand inside each other. */
const depthLimit = 50;

const functions: Readonly<Record<string, (...numbers: number[]) => number>> = {
  abs: (number = Number.NaN) => Math.abs(number),
  ceil: (number = Number.NaN) => Math.ceil(number),
  floor: (number = Number.NaN) => Math.floor(number),
  round: (number = Number.NaN) => Math.round(number),
  sqrt: (number = Number.NaN) => Math.sqrt(number),
  max: (...numbers) => Math.max(...numbers),
  min: (...numbers) => Math.min(...numbers),
};

const takesMany = new Set(['max', 'min']);

/**
 * Calculates: `+ - * / % ^`, signs, parentheses, decimal numbers, and the functions abs, ceil, floor,
 * round, sqrt, max and min. `^` binds tightest and to the right; a sign binds weaker than it.
 *
 *     sum     = product (("+" | "-") product)*
 *     product = sign (("*" | "/" | "%") sign)*
 *     sign    = ("+" | "-") sign | power
 *     power   = atom ("^" sign)?
 *     atom    = number | "(" sum ")" | name "(" sum ("," sum)* ")"
 *
 * @throws ExpressionError if the text is no expression, or if the result is not a finite number
 */
export function calculate(text: string): number {
  let at = 0;
  let depth = 0;

  const fail = (message: string): never => {
    throw new ExpressionError(`${message} at position ${at + 1}`);
  };

  /** The next character that is not white space, or ''. */
  const peek = (): string => {
    while (/\s/.test(text[at] ?? '')) at += 1;
    return text[at] ?? '';
  };

  const take = (character: string): boolean => {
    if (peek() !== character) return false;
    at += 1;
    return true;
  };

  const takeOne = (characters: string): string => {
    const next = peek();
    if (next === '' || !characters.includes(next)) return '';
    at += 1;
    return next;
  };

  const expect = (character: string): void => {
    if (!take(character)) fail(`expected '${character}'`);
  };

  const nested = <Result>(read: () => Result): Result => {
    depth += 1;
    if (depth > depthLimit) fail('too deeply nested');
    const result = read();
    depth -= 1;
    return result;
  };

  function readSum(): number {
    let value = readProduct();
    for (;;) {
      const operator = takeOne('+-');
      if (operator === '') return value;
      const right = readProduct();
      value = operator === '+' ? value + right : value - right;
    }
  }

  function readProduct(): number {
    let value = readSign();
    for (;;) {
      const operator = takeOne('*/%');
      if (operator === '') return value;
      const right = readSign();
      if (operator === '*') value *= right;
      else if (right === 0) fail('division by zero');
      else value = operator === '/' ? value / right : value % right;
    }
  }

  function readSign(): number {
    const sign = takeOne('+-');
    if (sign === '') return readPower();
    const value = nested(readSign);
    return sign === '-' ? -value : value;
  }

  function readPower(): number {
    const base = readAtom();
    return take('^') ? base ** nested(readSign) : base;
  }

  function readAtom(): number {
    if (take('(')) {
      const value = nested(readSum);
      expect(')');
      return value;
    }
    const [word = ''] = /^[a-z]+/i.exec(text.slice(at)) ?? [];
    if (word !== '') return readFunction(word);
    const [number = ''] = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(text.slice(at)) ?? [];
    if (number === '') fail('expected a number');
    at += number.length;
    return Number(number);
  }

  function readFunction(word: string): number {
    const name = word.toLowerCase();
    const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!run) return fail(`there is no function ${word}`);
    at += word.length;
    expect('(');
    const numbers = [nested(readSum)];
    while (take(',')) numbers.push(nested(readSum));
    expect(')');
    if (numbers.length > 1 && !takesMany.has(name)) fail(`${name} takes one number`);
    return run(...numbers);
  }

  const value = readSum();
  if (peek() !== '') fail('expected an operator');
  if (!Number.isFinite(value)) throw new ExpressionError('the result is not a finite number');
  return value;
}
