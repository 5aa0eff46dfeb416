import { isObject, type JsonObject, readObject } from '../json.ts';

/** A stream of server-sent events, and how it was spelt. */
export interface Wire {
  /** The objects of the events, in their order. */
  readonly chunks: readonly JsonObject[];
  /** Data that is neither an object nor `[DONE]`. */
  readonly strange: readonly string[];
  readonly done: boolean;
  readonly byteOrderMark: boolean;
  readonly carriageReturns: boolean;
  readonly comments: boolean;
  /** `data:` without a space behind it. */
  readonly tight: boolean;
  /** Fields other than `data`. */
  readonly otherFields: readonly string[];
}

/** Reads the whole text of a stream, strictly by the HTML standard's section on server-sent events. */
export function readWire(text: string): Wire {
  const byteOrderMark = text.startsWith('\ufeff');
  const lines = (byteOrderMark ? text.slice(1) : text).split(/\r\n|\n|\r/);
  const events: string[] = [];
  const otherFields = new Set<string>();
  let held: string[] = [];
  let comments = false;
  let tight = false;
  for (const line of [...lines, '']) {
    if (line === '') {
      if (held.length > 0) events.push(held.join('\n'));
      held = [];
    } else if (line.startsWith(':')) {
      comments = true;
    } else {
      const [field = '', rest = ''] = line.split(/:(.*)/s);
      if (field === 'data') {
        tight ||= !rest.startsWith(' ');
        held.push(rest.replace(/^ /, ''));
      } else {
        otherFields.add(field);
      }
    }
  }
  const data = events.map((event) => event.trim());
  const objects = data.map(readObject);
  return {
    chunks: objects.filter(isObject),
    strange: data.filter((event, at) => event !== '[DONE]' && objects[at] === undefined),
    done: data.includes('[DONE]'),
    byteOrderMark,
    carriageReturns: text.includes('\r\n'),
    comments,
    tight,
    otherFields: [...otherFields],
  };
}
