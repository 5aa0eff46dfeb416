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

const SPACE = ' \n\t\r';
const DIGITS = '0123456789';
const HEX_DIGITS = `${DIGITS}abcdefABCDEF`;
/** What a value begins with. */
const VALUE = {
  '"': 'string',
  '{': '{',
  '[': '[',
  '-': 'minus',
  0: 'zero',
  123456789: 'digits',
  t: 'rue',
  f: 'alse',
  n: 'ull',
};

/**
 * The states that a text can be in, each with the characters that may come next and the state behind them. Those
 * of literals are named by what is left of them. Groups are told by their place in this order: the two that end
 * it, those up to `key`, numbers that may end, and those from `string` on.
 */
const GRAMMAR: Record<string, Record<string, string>> = {
  broken: {},
  /** The root value is whole. */
  end: {},
  // Passed through: where they lead depends on what is open.
  done: {},
  '{': {},
  '[': {},
  '}': {},
  ']': {},
  ',': {},
  key: {},
  // In a number that may end here.
  zero: { '.': 'point', eE: 'exponent' },
  digits: { [DIGITS]: 'digits', '.': 'point', eE: 'exponent' },
  fraction: { [DIGITS]: 'fraction', eE: 'exponent' },
  power: { [DIGITS]: 'power' },
  // In one that may not.
  minus: { 0: 'zero', 123456789: 'digits' },
  point: { [DIGITS]: 'fraction' },
  exponent: { '+-': 'sign', [DIGITS]: 'power' },
  sign: { [DIGITS]: 'power' },
  // Between values; the first two behind an opening bracket.
  'first-item': { [SPACE]: 'first-item', ...VALUE, ']': ']' },
  'first-member': { [SPACE]: 'first-member', '"': 'key', '}': '}' },
  value: { [SPACE]: 'value', ...VALUE },
  member: { [SPACE]: 'member', '"': 'key' },
  colon: { [SPACE]: 'colon', ':': 'value' },
  'comma-or-end': { [SPACE]: 'comma-or-end', ',': ',', '}': '}', ']': ']' },
  rue: { r: 'ue' },
  ue: { u: 'e' },
  alse: { a: 'lse' },
  lse: { l: 'se' },
  se: { s: 'e' },
  e: { e: 'done' },
  ull: { u: 'll' },
  ll: { l: 'l' },
  l: { l: 'done' },
  // Inside a string.
  string: {},
  escape: { '"\\/bfnrt': 'string', u: 'hex-4' },
  'hex-4': { [HEX_DIGITS]: 'hex-3' },
  'hex-3': { [HEX_DIGITS]: 'hex-2' },
  'hex-2': { [HEX_DIGITS]: 'hex-1' },
  'hex-1': { [HEX_DIGITS]: 'string' },
};

const NAMES = Object.keys(GRAMMAR);
const stateOf = (name: string) => NAMES.indexOf(name);

const BROKEN = stateOf('broken');
const END = stateOf('end');
const OPEN_OBJECT = stateOf('{');
const OPEN_ARRAY = stateOf('[');
const CLOSE_OBJECT = stateOf('}');
const COMMA = stateOf(',');
const DONE = stateOf('done');
const KEY = stateOf('key');
const ZERO = stateOf('zero');
const POWER = stateOf('power');
const FIRST_ITEM = stateOf('first-item');
const FIRST_MEMBER = stateOf('first-member');
const VALUE_BEGINS = stateOf('value');
const MEMBER = stateOf('member');
const COLON = stateOf('colon');
const COMMA_OR_END = stateOf('comma-or-end');
const STRING = stateOf('string');
const ESCAPE = stateOf('escape');

/** U+007F, which no rule names, stands for all that is not ASCII. */
const UNITS = 128;

/** The grammar as one row for each state: the state behind each unit. */
const NEXT = new Uint8Array(NAMES.length * UNITS);
for (const [state, rules] of Object.values(GRAMMAR).entries()) {
  for (const [chars, next] of Object.entries(rules))
    for (const char of chars) NEXT[state * UNITS + char.charCodeAt(0)] = stateOf(next);
}

/** As `JSON.stringify` has it: short where JSON has a short form, else `\u00xx` in lower case (ruling 27). */
function escapeControl(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

export function createJsonScanner(): JsonScanner {
  let state = VALUE_BEGINS;
  /** One entry per open container: true for an object. */
  const open: boolean[] = [];
  /** The string being read is a member's key. */
  let isKey = false;
  let healed = false;
  let output = '';

  const behindValue = () => (open.length > 0 ? COMMA_OR_END : END);

  const mayEndNumber = () => state >= ZERO && state <= POWER;

  /** Where a state leads that is passed through. */
  function passThrough(through: number): number {
    if (through === COMMA) return open.at(-1) ? MEMBER : VALUE_BEGINS;
    if (through === KEY) {
      isKey = true;
      return STRING;
    }
    if (through === OPEN_OBJECT || through === OPEN_ARRAY) {
      open.push(through === OPEN_OBJECT);
      return through === OPEN_OBJECT ? FIRST_MEMBER : FIRST_ITEM;
    }
    if (through !== DONE && open.pop() !== (through === CLOSE_OBJECT)) return BROKEN;
    return behindValue();
  }

  function read(text: string, from: number): number {
    let at = from;
    /** Start of the part that is not in `output` yet. */
    let copied = from;
    output = '';
    for (; at < text.length && state > END; at++) {
      if (state === STRING) {
        let code = 0;
        for (; at < text.length; at++) {
          code = text.charCodeAt(at);
          if (code < 0x20 || code === 0x22 || code === 0x5c) break;
        }
        if (at === text.length) break;
        if (code === 0x22) {
          state = isKey ? COLON : behindValue();
          isKey = false;
        } else if (code === 0x5c) state = ESCAPE;
        else {
          output += text.slice(copied, at) + escapeControl(text[at] as string);
          copied = at + 1;
          healed = true;
        }
        continue;
      }
      const unit = Math.min(text.charCodeAt(at), UNITS - 1);
      let next = NEXT[state * UNITS + unit] as number;
      if (next === BROKEN && mayEndNumber()) {
        state = behindValue();
        if (state === END) break;
        next = NEXT[state * UNITS + unit] as number;
      }
      state = next > END && next <= KEY ? passThrough(next) : next;
      if (state === BROKEN) break;
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
      if (state === BROKEN) return 'broken';
      return state === END || (open.length === 0 && mayEndNumber()) ? 'complete' : 'open';
    },
    inString() {
      return state >= STRING;
    },
    inPlainString() {
      return state === STRING;
    },
    healed() {
      return healed;
    },
  };
}
