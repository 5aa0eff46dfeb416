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

// The states that a text can be in. Groups of them are told by their numbers.
const BROKEN = 0;
/** The root value is whole. */
const END = 1;
/** Behind a literal. From here to `KEY` states are passed through: where they lead depends on what is open. */
const DONE = 2;
const OPEN_OBJECT = 3;
const OPEN_ARRAY = 4;
const CLOSE_OBJECT = 5;
const CLOSE_ARRAY = 6;
const COMMA = 7;
const KEY = 8;
/** From here to `POWER` in a number that may end. */
const ZERO = 9;
const WHOLE = 10;
const FRACTION = 11;
const POWER = 12;
/** From here to `SIGN` in one that may not. */
const MINUS = 13;
const POINT = 14;
const EXPONENT = 15;
const SIGN = 16;
/** From here to `COMMA_OR_END` between values. */
const FIRST_ITEM = 17;
const FIRST_MEMBER = 18;
const VALUE = 19;
const MEMBER = 20;
const COLON = 21;
const COMMA_OR_END = 22;
/** In a literal: one state for each of its letters but the first. */
const RUE = 23;
const ALSE = 26;
const ULL = 30;
/** From here on inside a string. */
const STRING = 33;
const ESCAPE = 34;
/** One state for each of the four digits. */
const HEX = 35;
const STATES = 39;

/** U+007F, which no rule names, stands for all that is not ASCII. */
const UNITS = 128;

/** The grammar as one row for each state: the state behind each unit. Where there is none, the text is broken. */
const NEXT = /* @__PURE__ */ toTable();

function toTable(): Uint8Array {
  const table = new Uint8Array(STATES * UNITS);
  function add(state: number, chars: string, next: number): void {
    for (const char of chars) table[state * UNITS + char.charCodeAt(0)] = next;
  }
  /** States one behind the other, of which the last leads on. */
  function addRow(state: number, steps: readonly string[], next: number): void {
    for (const [at, chars] of steps.entries())
      add(state + at, chars, at < steps.length - 1 ? state + at + 1 : next);
  }
  const digits = '0123456789';
  const hex = `${digits}abcdefABCDEF`;
  for (let state = FIRST_ITEM; state <= COMMA_OR_END; state++) add(state, ' \n\t\r', state);
  for (const state of [FIRST_ITEM, VALUE]) {
    add(state, '"', STRING);
    add(state, '{', OPEN_OBJECT);
    add(state, '[', OPEN_ARRAY);
    add(state, 't', RUE);
    add(state, 'f', ALSE);
    add(state, 'n', ULL);
    add(state, '-', MINUS);
  }
  add(FIRST_ITEM, ']', CLOSE_ARRAY);
  for (const state of [FIRST_MEMBER, MEMBER]) add(state, '"', KEY);
  add(FIRST_MEMBER, '}', CLOSE_OBJECT);
  add(COLON, ':', VALUE);
  add(COMMA_OR_END, ',', COMMA);
  add(COMMA_OR_END, '}', CLOSE_OBJECT);
  add(COMMA_OR_END, ']', CLOSE_ARRAY);
  for (const state of [FIRST_ITEM, VALUE, MINUS, WHOLE]) add(state, digits, WHOLE);
  for (const state of [FIRST_ITEM, VALUE, MINUS]) add(state, '0', ZERO);
  for (const state of [ZERO, WHOLE]) add(state, '.', POINT);
  for (const state of [POINT, FRACTION]) add(state, digits, FRACTION);
  for (const state of [ZERO, WHOLE, FRACTION]) add(state, 'eE', EXPONENT);
  add(EXPONENT, '+-', SIGN);
  for (const state of [EXPONENT, SIGN, POWER]) add(state, digits, POWER);
  addRow(RUE, [...'rue'], DONE);
  addRow(ALSE, [...'alse'], DONE);
  addRow(ULL, [...'ull'], DONE);
  add(ESCAPE, '"\\/bfnrt', STRING);
  add(ESCAPE, 'u', HEX);
  addRow(HEX, [hex, hex, hex, hex], STRING);
  return table;
}

/** As `JSON.stringify` has it: short where JSON has a short form, else `\u00xx` in lower case (ruling 27). */
function escapeControl(char: string): string {
  return JSON.stringify(char).slice(1, -1);
}

export function createJsonScanner(): JsonScanner {
  let state = VALUE;
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
    if (through === COMMA) return open.at(-1) ? MEMBER : VALUE;
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
