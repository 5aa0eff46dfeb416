/** Reads JSON text as it arrives, by the strict grammar, and escapes raw control characters in strings. */
export interface JsonScanner {
  /**
   * Reads `text` from `from` on: to its end, to just behind the complete root value, or to the
   * character that breaks the grammar.
   * @returns the index of the first unit not read
   */
  read(text: string, from: number): number;
  /** What the last `read` took, control characters in strings escaped. */
  output(): string;
  /** `complete`: the root value is whole. A number at the root counts as whole while digits may follow. */
  status(): 'open' | 'complete' | 'broken';
  /** Inside a string (also right behind its backslash). */
  inString(): boolean;
  /** Inside a string, and not in an escape: text without `"`, `\` and control characters changes nothing. */
  inPlainString(): boolean;
  /** A raw control character was escaped. */
  healed(): boolean;
}

/** What the next character may be. */
type Expect =
  | 'value'
  | 'value-or-end' // behind `[`
  | 'key-or-end' // behind `{`
  | 'key' // behind `,` in an object
  | 'colon'
  | 'comma-or-end'
  | 'nothing' // the root value is whole
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'number'
  | 'broken';

/** Where a number stands, by character class: what may follow, and whether it may end there. */
const NUMBER: Record<string, Record<string, string>> = {
  start: { '-': 'minus', 0: 'zero', 1: 'whole' },
  minus: { 0: 'zero', 1: 'whole' },
  zero: { '.': 'point', e: 'exponent' },
  whole: { 0: 'whole', 1: 'whole', '.': 'point', e: 'exponent' },
  point: { 0: 'fraction', 1: 'fraction' },
  fraction: { 0: 'fraction', 1: 'fraction', e: 'exponent' },
  exponent: { '-': 'sign', '+': 'sign', 0: 'power', 1: 'power' },
  sign: { 0: 'power', 1: 'power' },
  power: { 0: 'power', 1: 'power' },
};
const WHOLE_NUMBER = /^(zero|whole|fraction|power)$/;

const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' };

/** As `JSON.stringify` has it: short where JSON has a short form, else `\u00xx` in lower case (ruling 27). */
function escapeControl(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

export function createJsonScanner(): JsonScanner {
  let expect: Expect = 'value';
  /** One entry per open container: true for an object. */
  const open: boolean[] = [];
  /** The string being read is a member's key. */
  let isKey = false;
  /** Hex digits of a \u escape still to come. */
  let hexLeft = 0;
  /** Characters of `true`, `false` or `null` still to come. */
  let literalLeft = '';
  let number = 'start';
  let healed = false;
  let output = '';

  function valueDone(): Expect {
    return open.length > 0 ? 'comma-or-end' : 'nothing';
  }

  function startValue(char: string): Expect {
    if (char === '"') {
      isKey = false;
      return 'string';
    }
    if (char === '{' || char === '[') {
      open.push(char === '{');
      return char === '{' ? 'key-or-end' : 'value-or-end';
    }
    const literal = LITERALS[char];
    if (literal !== undefined) {
      literalLeft = literal.slice(1);
      return 'literal';
    }
    number = 'start';
    return continueNumber(char) ?? 'broken';
  }

  /** `undefined`: the character does not belong to the number. */
  function continueNumber(char: string): Expect | undefined {
    const kind = char >= '1' && char <= '9' ? '1' : char === 'E' ? 'e' : char;
    const next = NUMBER[number]?.[kind];
    if (next === undefined) return undefined;
    number = next;
    return 'number';
  }

  function close(isObject: boolean): Expect {
    return open.pop() === isObject ? valueDone() : 'broken';
  }

  /** One character outside of strings. */
  function step(char: string): Expect {
    if (expect === 'literal') {
      if (char !== literalLeft[0]) return 'broken';
      literalLeft = literalLeft.slice(1);
      return literalLeft === '' ? valueDone() : 'literal';
    }
    if (char === ' ' || char === '\n' || char === '\t' || char === '\r') return expect;
    switch (expect) {
      case 'value-or-end':
        return char === ']' ? close(false) : startValue(char);
      case 'value':
        return startValue(char);
      case 'key-or-end':
      case 'key':
        if (char === '}' && expect === 'key-or-end') return close(true);
        isKey = true;
        return char === '"' ? 'string' : 'broken';
      case 'colon':
        return char === ':' ? 'value' : 'broken';
      case 'comma-or-end':
        if (char === ',') return open[open.length - 1] ? 'key' : 'value';
        return char === '}' || char === ']' ? close(char === '}') : 'broken';
      default:
        return 'broken';
    }
  }

  function read(text: string, from: number): number {
    let at = from;
    /** Start of the part that is not in `output` yet. */
    let copied = from;
    output = '';
    for (; at < text.length && expect !== 'nothing' && expect !== 'broken'; at++) {
      if (expect === 'string') {
        let code = 0;
        for (; at < text.length; at++) {
          code = text.charCodeAt(at);
          if (code < 0x20 || code === 0x22 || code === 0x5c) break;
        }
        if (at === text.length) break;
        if (code === 0x22) expect = isKey ? 'colon' : valueDone();
        else if (code === 0x5c) expect = 'escape';
        else {
          output += text.slice(copied, at) + escapeControl(text[at] as string);
          copied = at + 1;
          healed = true;
        }
        continue;
      }
      const char = text[at] as string;
      let next: Expect;
      if (expect === 'escape') {
        hexLeft = 4;
        next = char === 'u' ? 'hex' : '"\\/bfnrt'.includes(char) ? 'string' : 'broken';
      } else if (expect === 'hex') {
        next = !/[\da-f]/i.test(char) ? 'broken' : --hexLeft > 0 ? 'hex' : 'string';
      } else {
        let inNumber: Expect | undefined;
        if (expect === 'number') {
          inNumber = continueNumber(char);
          if (inNumber === undefined) expect = WHOLE_NUMBER.test(number) ? valueDone() : 'broken';
          if (expect === 'nothing' || expect === 'broken') break;
        }
        next = inNumber ?? step(char);
      }
      expect = next;
      if (next === 'broken') break;
    }
    const last = copied === 0 && at === text.length ? text : text.slice(copied, at);
    output = output === '' ? last : output + last;
    return at;
  }

  return {
    read,
    output() {
      return output;
    },
    status() {
      if (expect === 'broken') return 'broken';
      const whole =
        expect === 'nothing' || (expect === 'number' && open.length === 0 && WHOLE_NUMBER.test(number));
      return whole ? 'complete' : 'open';
    },
    inString() {
      return expect === 'string' || expect === 'escape' || expect === 'hex';
    },
    inPlainString() {
      return expect === 'string';
    },
    healed() {
      return healed;
    },
  };
}
