import type { ToolBox } from '../grammar/tools.ts';
import { splitTopLevel } from './json-members.ts';
import { createJsonScanner } from './json-scanner.ts';
import { unwrap } from './tool-calls.ts';

/** A call written as plain text. */
export interface TextCall {
  name: string;
  arguments: string;
}

/** Text and calls in the order they stood in. */
export type TextPiece = string | TextCall;

/** A list of calls, or one, as a server writes it under guided decoding (ruling 33); all or nothing. */
export function readGuidedCalls(content: string, tools: ToolBox): TextCall[] | undefined {
  const json = content.trim();
  const scanner = createJsonScanner();
  if (
    !/^[[{]/.test(json) ||
    scanner.read(json, 0) < json.length ||
    scanner.status !== 'complete' ||
    scanner.healed
  ) {
    return undefined;
  }
  const items = json.startsWith('[') ? splitTopLevel(json) : [json];
  const calls = items.map((item) => (item.startsWith('{') ? unwrap(item, tools) : undefined));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? (calls as TextCall[]) : undefined;
}

const escapeForPattern = (name: string) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** One pattern for any of the offered names, the longest first; matches nothing when there are none. */
function anyOf(tools: ToolBox): string {
  const names = [...tools.names].sort((a, b) => b.length - a.length).map(escapeForPattern);
  return names.length > 0 ? `(?:${names.join('|')})` : '(?!)';
}

/** `NAME(` or NAME on a line of its own and then an object; `<invoke name="NAME">`; `<NAME>`. */
const CALL_LOOK =
  /\n[ \t]{0,9}([^\s()<>{}"`]+)[ \t]{0,9}(?:\(|\r?\n)\s{0,9}\{|<invoke name="([^"\n]+)">|<([^<>\s/]+)>/g;

/**
 * Looks for text that only looks like a call of an offered tool (ruling 32). Needs the end of the
 * text in front, not the text itself.
 */
export function createCallSuspicion(tools: ToolBox): (text: string) => boolean {
  const reach = Math.max(0, ...tools.names.map(({ length }) => length)) + 40;
  /** The end of the text, as far as a form can reach back, and more: it is cut only now and then. */
  let recent = '\n';
  return (text) => {
    recent += text;
    let found = false;
    if (text.indexOf('{') >= 0 || text.indexOf('>') >= 0) {
      const looked = recent.slice(-reach - text.length).matchAll(CALL_LOOK);
      found = [...looked].some(([, line, invoked, element]) => tools.has(line ?? invoked ?? element ?? ''));
    }
    if (recent.length > 64 * reach) recent = recent.slice(-reach);
    return found;
  };
}

export interface LenientStart {
  /** Index in the text; its length if there is no sign of a call. */
  at: number;
  /** A whole opener stands there, not just what may become one. */
  opened: boolean;
}

/** Finds where content begins to be a call in one of the lenient forms, or may begin to at its very end. */
export type LenientFinder = (text: string, atLineStart: boolean) => LenientStart;

export function createLenientFinder(tools: ToolBox): LenientFinder {
  const tags = ['<function_calls>', '<invoke ', ...tools.names.map((tool) => `<${tool}>`)];
  const opener = new RegExp(
    `(?<![^\\n])[ \\t]*${anyOf(tools)}[ \\t]*[(\\r\\n]|${tags.map(escapeForPattern).join('|')}`,
    'g',
  );
  return (text, atLineStart) => {
    opener.lastIndex = 0;
    let match = opener.exec(text);
    if (match?.index === 0 && !atLineStart && !match[0].startsWith('<')) match = opener.exec(text);
    if (match) return { at: match.index, opened: true };
    const line = text.lastIndexOf('\n') + 1;
    const lineIsName =
      (line > 0 || atLineStart) && tools.names.some((tool) => mayBecome(text.slice(line), tool));
    const tag = text.lastIndexOf('<');
    const tagMayCome = tag >= 0 && tags.some((whole) => whole.startsWith(text.slice(tag)));
    return { at: Math.min(lineIsName ? line : text.length, tagMayCome ? tag : text.length), opened: false };
  };
}

/** The line so far is a beginning of the name, or the name and white space. */
function mayBecome(line: string, name: string): boolean {
  return name.startsWith(line.trimStart()) || line.trim() === name;
}

/**
 * Reads the lenient forms (ruling 31) out of a text run: `NAME({…})` alone on its lines, NAME on a line
 * with one object behind it to the end, `<invoke>` blocks, and elements named like a tool whose
 * children are its parameters.
 *
 * @param quotes the quoted stretches as index pairs, in order; no call begins there
 */
export function readLenientCalls(
  text: string,
  atLineStart: boolean,
  quotes: readonly [number, number][],
  tools: ToolBox,
): TextPiece[] {
  const name = anyOf(tools);
  const opener = new RegExp(
    `(?<![^\\n])[ \\t]*(${name})[ \\t]*(?:\\(|\\r?\\n)\\s*(?=\\{)|(<function_calls>\\s*)?<invoke name="(${name})">|<(${name})>`,
    'g',
  );
  const pieces: TextPiece[] = [];
  let done = 0;
  let quote = 0;
  for (let match = opener.exec(text); match; match = opener.exec(text)) {
    const start = match.index;
    const [whole, plain, wrapper, invoked, element] = match;
    while (quote < quotes.length && (quotes[quote] as [number, number])[1] <= start) quote++;
    if ((quotes[quote]?.[0] ?? Infinity) <= start || (plain !== undefined && start === 0 && !atLineStart))
      continue;
    const cursor = createCursor(text, start + whole.length);
    const calls: TextCall[] = [];
    if (plain !== undefined) {
      const args = cursor.object();
      const closes = whole.includes('(') ? /\s*\)[ \t]*(?=\r?\n|$)/y : /\s*$/y;
      if (args !== undefined && cursor.skip(closes)) calls.push({ name: plain, arguments: args });
    } else if (invoked !== undefined) {
      for (let tool: string | undefined = invoked; tool !== undefined; ) {
        const args = cursor.children(tool, tools, /\s*<parameter name="([^"]*)">/y, () => '</parameter>');
        if (args === undefined || !cursor.skip(/\s*<\/invoke>/y)) break;
        calls.push({ name: tool, arguments: args });
        tool =
          wrapper === undefined ? undefined : cursor.match(new RegExp(`\\s*<invoke name="(${name})">`, 'y'));
      }
      if (wrapper !== undefined && !cursor.skip(/\s*<\/function_calls>/y)) calls.length = 0;
    } else if (element !== undefined) {
      const args = cursor.children(element, tools, /\s*<([^<>\s/]+)>/y, (key) => `</${key}>`);
      if (args !== undefined && cursor.skip(new RegExp(`\\s*</${escapeForPattern(element)}>`, 'y'))) {
        calls.push({ name: element, arguments: args });
      }
    }
    // What was looked at is not looked at again, so that the work stays linear.
    opener.lastIndex = Math.max(cursor.at, start + 1);
    if (calls.length === 0) continue;
    pieces.push(text.slice(done, start), ...calls);
    done = cursor.at;
  }
  pieces.push(text.slice(done));
  return pieces;
}

function createCursor(text: string, from: number) {
  const cursor = {
    at: from,
    match(pattern: RegExp): string | undefined {
      pattern.lastIndex = cursor.at;
      const found = pattern.exec(text);
      if (found) cursor.at = pattern.lastIndex;
      return found ? (found[1] ?? '') : undefined;
    },
    skip: (pattern: RegExp): boolean => cursor.match(pattern) !== undefined,
    object(): string | undefined {
      const scanner = createJsonScanner();
      cursor.at = scanner.read(text, cursor.at);
      return scanner.status === 'complete' ? scanner.output : undefined;
    },
    /** Children of one element as a JSON object; every one must be a declared parameter of the tool. */
    children(
      tool: string,
      tools: ToolBox,
      open: RegExp,
      closerOf: (key: string) => string,
    ): string | undefined {
      const members: string[] = [];
      for (let key = cursor.match(open); key !== undefined; key = cursor.match(open)) {
        const schema = tools.parameter(tool, key);
        const closer = closerOf(key);
        const end = text.indexOf(closer, cursor.at);
        const value = text.slice(cursor.at, end);
        if (end < 0) cursor.at = text.length;
        if (end < 0 || schema === undefined || (closer !== '</parameter>' && /<[\w/]/.test(value)))
          return undefined;
        cursor.at = end + closer.length;
        members.push(`${JSON.stringify(key)}:${toJsonValue(value, schema)}`);
      }
      return `{${members.join(',')}}`;
    },
  };
  return cursor;
}

/** A string, or the JSON that stands there where the schema asks for another type. */
function toJsonValue(value: string, schema: unknown): string {
  const type = (schema as { type?: unknown } | null)?.type;
  const takesString =
    type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
  if (!takesString) {
    const json = value.trim();
    const scanner = createJsonScanner();
    if (scanner.read(json, 0) === json.length && scanner.status === 'complete') return scanner.output;
  }
  return JSON.stringify(value);
}
