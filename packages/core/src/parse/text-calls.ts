import { LONGEST_BARE_ID } from '../grammar/tool-call-id.ts';
import type { ToolBox } from '../grammar/tools.ts';
import { createJsonScanner } from './json-scanner.ts';
import { createQuoteTracker } from './quotes.ts';

/** A call written as plain text. */
export interface TextCall {
  name: string;
  arguments: string;
  /** A string encoding around the arguments was removed. */
  repaired: boolean;
}

/** Text and calls in the order they stood in. */
export type TextPiece = string | TextCall;

const escapeForPattern = (name: string) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** One pattern for any of the offered names, of which lenient reading has one at least. */
function anyOf(tools: ToolBox): string {
  return `(?:${tools.names.map(escapeForPattern).join('|')})`;
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
  return line.length <= LONGEST_BARE_ID && (name.startsWith(line.trimStart()) || line.trim() === name);
}

/**
 * Reads the lenient forms (ruling 31) out of a text run: `NAME({…})` alone on its lines, NAME on a line
 * with one object behind it to the end, `<invoke>` blocks, and elements named like a tool whose
 * children are its parameters. Nothing is read in quotes.
 */
export function readLenientCalls(text: string, atLineStart: boolean, tools: ToolBox): TextPiece[] {
  const name = anyOf(tools);
  const opener = new RegExp(
    `(?<![^\\n])[ \\t]*(${name})[ \\t]*(?:\\(|\\r?\\n)\\s*(?=\\{)|(?:<function_calls>\\s*)?<invoke name="(${name})">|<(${name})>`,
    'g',
  );
  const nextInvoke = new RegExp(`\\s*<invoke name="(${name})">`, 'y');
  const quotes = createQuoteTracker();
  quotes.setLineStart(atLineStart);
  const cursor = createCursor(text);
  const pieces: TextPiece[] = [];
  /** What is in `pieces`, and how far the quotes were followed. */
  let done = 0;
  let followed = 0;
  for (let match = opener.exec(text); match; match = opener.exec(text)) {
    const start = match.index;
    const [whole, plain, invoked, element] = match;
    while (followed < start) followed = quotes.advance(text, followed, start);
    const startsLine = start === 0 ? atLineStart : text[start - 1] === '\n';
    if (quotes.isOpen() || (plain !== undefined && !startsLine)) continue;
    cursor.at = start + whole.length;
    const calls: TextCall[] = [];
    const add = (tool: string, args: string | undefined, closed: () => boolean) => {
      if (args === undefined || !closed()) return false;
      return calls.push({ name: tool, arguments: args, repaired: false }) > 0;
    };
    if (plain !== undefined) {
      const closes = whole.includes('(') ? /\s*\)[ \t]*(?=\r?\n|$)/y : /\s*$/y;
      add(plain, cursor.object(), () => cursor.skip(closes));
    } else if (element !== undefined) {
      const args = cursor.children(element, tools, /\s*<([^<>\s/]+)>/y, (key) => `</${key}>`);
      add(element, args, () => cursor.skip(new RegExp(`\\s*</${escapeForPattern(element)}>`, 'y')));
    } else {
      /** Behind the last whole call: one that is broken behind it stays text. */
      let end = cursor.at;
      for (let tool = invoked; tool !== undefined; tool = cursor.match(nextInvoke)) {
        const args = cursor.children(tool, tools, /\s*<parameter name="([^"]*)">/y, () => '</parameter>');
        if (!add(tool, args, () => cursor.skip(/\s*<\/invoke>/y))) break;
        end = cursor.at;
      }
      cursor.at = end;
      cursor.skip(/\s*<\/function_calls>/y);
    }
    if (calls.length === 0) continue;
    pieces.push(text.slice(done, start), ...calls);
    done = followed = opener.lastIndex = cursor.at;
  }
  pieces.push(text.slice(done));
  return pieces;
}

function createCursor(text: string) {
  /** Where each closing tag stands next, so that none is looked for twice. */
  const closers = new Map<string, number>();
  function findCloser(closer: string, from: number): number {
    const known = closers.get(closer) ?? 0;
    if (known < 0 || known > from) return known;
    const at = text.indexOf(closer, from);
    closers.set(closer, at);
    return at;
  }

  const cursor = {
    at: 0,
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
      return scanner.status() === 'complete' ? scanner.output() : undefined;
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
        const end = findCloser(closer, cursor.at);
        if (end < 0 || schema === undefined) return undefined;
        if (closer !== '</parameter>' && nextTag(cursor.at) < end) return undefined;
        members.push(`${JSON.stringify(key)}:${toJsonValue(text.slice(cursor.at, end), schema)}`);
        cursor.at = end + closer.length;
      }
      return `{${members.join(',')}}`;
    },
  };
  function nextTag(from: number): number {
    const tag = /<[\w/]/g;
    tag.lastIndex = from;
    return tag.exec(text)?.index ?? text.length;
  }
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
    if (scanner.read(json, 0) === json.length && scanner.status() === 'complete') return scanner.output();
  }
  return JSON.stringify(value);
}
