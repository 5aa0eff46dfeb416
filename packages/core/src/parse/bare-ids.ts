import { isIdUnit, LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';
import type { ToolBox } from '../grammar/tools.ts';

/** A token-stripped call in a text. */
export interface StrippedPlace {
  /** Index of its id. */
  start: number;
  /** Index of the brace behind the id. */
  brace: number;
  /** False: what stands behind the brace must still tell whether it is a call. */
  whole: boolean;
}

/** Finds ids in plain text: `functions.NAME:IDX`, and `NAME:IDX` of an offered tool. Both may be glued to prose. */
export interface BareIds {
  /** The first token-stripped call at or behind `from` (ruling 30). */
  findStripped(text: string, from: number): StrippedPlace | undefined;
  /**
   * Where the end of the text begins that may become an id; its length if there is none. At most 512
   * units are held.
   * @param before the unit in front of the text, NaN if there is none
   */
  findHeld(text: string, from: number, before: number): number;
  /** A whole id that needs no call begin in front of it (ruling 15). */
  isHeader(text: string): boolean;
}

const PREFIX = 'functions.';
const NATIVE_ID = /^functions\.([^\s<>{}"`]+):\d+$/;

/** For each ASCII unit whether a name does not begin behind it: `shipping:0` is no call of `ping`. */
const NAME_UNITS = Array.from({ length: 128 }, (_, unit) => /[\w-]/.test(String.fromCharCode(unit)));

export function createBareIds(tools: ToolBox): BareIds {
  const { names } = tools;
  const byFirstUnit = groupByFirstUnit(names);

  function findStripped(text: string, from: number): StrippedPlace | undefined {
    for (let brace = text.indexOf('{', from); brace >= 0; brace = text.indexOf('{', brace + 1)) {
      const before = text.charCodeAt(brace - 1);
      if (!(before >= 0x30 && before <= 0x39)) continue;
      const window = text.slice(Math.max(from, brace - LONGEST_BARE_ID), brace);
      const at = window.lastIndexOf(PREFIX);
      const name = at < 0 ? undefined : NATIVE_ID.exec(window.slice(at))?.[1];
      if (name === undefined || tools.find(name) === undefined) continue;
      const start = brace - window.length + at;
      const inside = text.slice(brace + 1, start + LONGEST_BARE_ID).trimStart();
      const whole = /^["}]/.test(inside);
      if (whole || (inside === '' && text.length < start + LONGEST_BARE_ID)) return { start, brace, whole };
    }
    return undefined;
  }

  /** From the end, so that what was found last begins first. */
  function findHeld(text: string, from: number, before: number): number {
    const earliest = Math.max(from, text.length - LONGEST_BARE_ID);
    let held = text.length;
    let isPrefixed = false;
    let at = text.length - 1;
    let unit = text.charCodeAt(at);
    while (at >= earliest && isIdUnit(unit)) {
      const previous = at > 0 ? text.charCodeAt(at - 1) : before;
      if (unit === 0x66 /* f */ && !isPrefixed) {
        isPrefixed = text.startsWith(PREFIX, at);
        if (isPrefixed || PREFIX.startsWith(text.slice(at))) held = at;
      }
      // A name may begin in front of that: `read_pdf` ends in a beginning of the prefix.
      const similar = NAME_UNITS[previous] ? undefined : byFirstUnit[unit];
      if (similar && mayBeCounted(text, at, similar)) held = at;
      at--;
      unit = previous;
    }
    return held;
  }

  return {
    findStripped,
    findHeld,
    isHeader: (text) =>
      NATIVE_ID.test(text) ||
      names.some((name) => text.startsWith(name) && /^:\d+$/.test(text.slice(name.length))),
  };
}

/** The names by their first unit. */
function groupByFirstUnit(names: readonly string[]): readonly (readonly string[] | undefined)[] {
  const groups: string[][] = [];
  for (const name of names) {
    const unit = name.charCodeAt(0);
    groups[unit] ??= [];
    groups[unit].push(name);
  }
  return groups;
}

/** Whether a text from an index on is `NAME:IDX` of one of the names, or a beginning of it. All have its first unit. */
function mayBeCounted(text: string, from: number, names: readonly string[]): boolean {
  const length = text.length - from;
  for (const name of names) {
    const shorter = Math.min(name.length, length);
    let at = 1;
    // Unit by unit, as most names differ in one of the first.
    while (at < shorter && name.charCodeAt(at) === text.charCodeAt(from + at)) at++;
    if (at === length || (at === name.length && /^:\d*$/.test(text.slice(from + at)))) return true;
  }
  return false;
}
