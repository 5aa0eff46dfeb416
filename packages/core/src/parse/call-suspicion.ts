import type { ToolBox } from '../grammar/tools.ts';
import { createJsonScanner, type JsonScanner } from './json-scanner.ts';

/** Looks for text in the form of a call of an offered tool that stays text (ruling 32). Changes nothing. */
export interface CallSuspicion {
  watch(text: string): void;
  /** The text is over: whether such a form stands in it. */
  end(): boolean;
}

/** `NAME(` at the start of a line, or NAME on a line, and a brace; an `<invoke>` tag; any other tag. */
const FORM =
  /\n[ \t]{0,9}([^\s()<>{}"`]+)[ \t]{0,9}(\(|\r?\n)\s{0,9}\{|<invoke name="([^"\n]+)">|<(\/?)([^<>\s/]+)>/g;

/** What may become such a form. */
const BEGINNING = /(?:\n[ \t]{0,9}[^\s()<>{}"`]*[ \t]{0,9}[(\r]?\s{0,10}|<(?:\/?[^<>\s/]*|invoke [^<>\n]*))$/;

/** Units that a form may take beside the name. */
const FORM_LENGTH = 40;
/** Units looked at together: what is behind an object is copied to be looked at, and must not be long. */
const PIECE_LENGTH = 1024;

/** The object of `NAME({…})`, or of NAME on a line of its own. */
interface CallObject {
  json: JsonScanner;
  isExpression: boolean;
  /** `NAME({…}` was closed. */
  closed: boolean;
  /** White space and closing bracket behind the object. */
  behind: string;
}

/** Whether a form may begin in a text: unit by unit, as most texts are short, and most long ones have lines. */
function mayBegin(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a || unit === 0x3c /* < */) return true;
  }
  return false;
}

export function createCallSuspicion(tools: ToolBox): CallSuspicion {
  const reach = Math.max(0, ...tools.names.map(({ length }) => length)) + FORM_LENGTH;
  /** The end of the text, if it may become a form. */
  let begun = '\n';
  let object: CallObject | undefined;
  /** Tags of offered tools that were opened. */
  const opened = new Set<string>();
  let found = false;

  /** Follows the object; returns what is behind it once it is no call. */
  function follow(read: CallObject, text: string): string {
    const end = read.json.status() === 'open' ? read.json.read(text, 0) : 0;
    let rest = text.slice(end);
    while (rest !== '' && read.json.status() === 'complete') {
      const visible = rest.trimStart();
      const space = rest.slice(0, rest.length - visible.length);
      read.behind = (read.behind + space).slice(-FORM_LENGTH);
      found ||= read.closed && space.includes('\n');
      rest = visible;
      if (!read.isExpression || read.closed || !rest.startsWith(')')) break;
      read.closed = true;
      rest = rest.slice(1);
    }
    if (rest !== '') {
      begun = read.behind;
      object = undefined;
    }
    return rest;
  }

  /** Looks for forms that end in the text; returns what must be followed. */
  function look(text: string): string {
    const looked = begun + text;
    for (const match of /[{>]/.test(text) ? looked.matchAll(FORM) : []) {
      const [form, line, opens, invoked, slash, tag] = match;
      if (line !== undefined && tools.has(line)) {
        object = { json: createJsonScanner(), isExpression: opens === '(', closed: false, behind: '' };
        return looked.slice(match.index + form.length - 1);
      }
      if (invoked !== undefined && tools.has(invoked)) opened.add('invoke');
      if (tag === undefined) continue;
      if (slash === '' && tools.has(tag)) opened.add(tag);
      found ||= slash === '/' && opened.has(tag);
    }
    const near = looked.slice(-reach);
    const at = near.search(BEGINNING);
    begun = at < 0 ? '' : near.slice(at);
    return '';
  }

  return {
    watch(text) {
      if (!object && begun === '' && !mayBegin(text)) return;
      for (let at = 0; at < text.length; at += PIECE_LENGTH) {
        let rest = text.slice(at, at + PIECE_LENGTH);
        while (rest !== '' && !found) rest = object ? follow(object, rest) : look(rest);
      }
    },
    end: () =>
      found || (object?.json.status() === 'complete' && (object.isExpression ? object.closed : true)),
  };
}
