/** A part of a well-formed reply, as offsets into its text. */
export type Segment = TextSegment | CallSegment;

export interface TextSegment {
  readonly type: 'reasoning' | 'content';
  readonly start: number;
  readonly end: number;
}

export interface CallSegment {
  readonly type: 'call';
  /** As the model wrote it. */
  readonly id: string;
  readonly name: string;
  /** The arguments. */
  readonly start: number;
  readonly end: number;
}

const sectionBegin = '<|tool_calls_section_begin|>';
const sectionEnd = '<|tool_calls_section_end|>';
const callBegin = '<|tool_call_begin|>';
const argumentBegin = '<|tool_call_argument_begin|>';
const callEnd = '<|tool_call_end|>';
const turnEnd = '<|im_end|>';

/** Anything that looks like a marker of the grammar, well spelt or not. */
const anyMarker = /<\|\s?(?:tool_call|im_)\w*\s?\|>|<\/?think>/;

const quoted = /```[\s\S]*?```|`[^`\n]*`/g;

/**
 * Reads a well-formed reply of a K2 model the way a server without faults does: an optional thought,
 * text, sections of calls with text around them, an optional turn end. The thought begins with
 * `<think>`, or at the start of the text if the prompt opened it; it ends with `</think>`. Text of
 * white space alone is dropped beside calls.
 *
 * It recovers nothing: that is what makes it a judge of the parsers that do.
 *
 * @throws Error naming the place where the text is not well-formed
 */
export function readK2(text: string): Segment[] {
  const end = text.endsWith(turnEnd) ? text.length - turnEnd.length : text.length;
  const segments: Segment[] = [];
  let at = readThought(text, end, segments);
  while (at < end) {
    const section = findUnquoted(text, sectionBegin, at, end);
    readText(text, at, section, segments);
    at = section < end ? readSection(text, section, end, segments) : end;
  }
  const hasCalls = segments.some(({ type }) => type === 'call');
  return segments.filter(({ type, start, end: stop }) => {
    return type !== 'content' || !hasCalls || text.slice(start, stop).trim() !== '';
  });
}

function readThought(text: string, end: number, segments: Segment[]): number {
  const opened = text.startsWith('<think>');
  const close = text.indexOf('</think>');
  if (close === -1 || close > findUnquoted(text, sectionBegin, 0, end)) {
    if (opened) throw malformed(text, 0, 'the thought is not closed');
    return 0;
  }
  const start = opened ? '<think>'.length : 0;
  refuseMarkers(text, start, close);
  if (start < close) segments.push({ type: 'reasoning', start, end: close });
  return close + '</think>'.length;
}

function readText(text: string, start: number, end: number, segments: Segment[]): void {
  refuseMarkers(text, start, end);
  if (start < end) segments.push({ type: 'content', start, end });
}

function readSection(text: string, section: number, end: number, segments: Segment[]): number {
  let at = skipSpace(text, section + sectionBegin.length);
  do {
    at = readCall(text, at, end, segments);
  } while (text.startsWith(callBegin, at));
  if (!text.startsWith(sectionEnd, at)) throw malformed(text, at, `expected ${sectionEnd}`);
  return at + sectionEnd.length;
}

function readCall(text: string, at: number, end: number, segments: Segment[]): number {
  if (!text.startsWith(callBegin, at)) throw malformed(text, at, `expected ${callBegin}`);
  const header = at + callBegin.length;
  const marker = text.indexOf(argumentBegin, header);
  if (marker === -1) throw malformed(text, header, `expected an id and ${argumentBegin}`);
  const id = text.slice(header, marker).trim();
  const [, name] = /^(?:functions\.)?([^\s<>{}"`]+):\d+$/.exec(id) ?? [];
  if (name === undefined) throw malformed(text, header, 'expected an id of the form functions.NAME:NUMBER');
  const start = marker + argumentBegin.length;
  const stop = findOutsideStrings(text, callEnd, start);
  if (stop === -1 || stop > end) throw malformed(text, start, `the call has no ${callEnd}`);
  segments.push({ type: 'call', id, name, start, end: stop });
  return skipSpace(text, stop + callEnd.length);
}

/** Where a marker stands in JSON text, not counting strings; -1 if it does not. */
function findOutsideStrings(text: string, marker: string, start: number): number {
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at];
    if (inString && unit === '\\') at += 1;
    else if (unit === '"') inString = !inString;
    else if (!inString && unit === '<' && text.startsWith(marker, at)) return at;
  }
  return -1;
}

/** Where a marker stands, not counting quotes; `end` if it does not. */
function findUnquoted(text: string, marker: string, start: number, end: number): number {
  const found = blankQuotes(text.slice(start, end)).indexOf(marker);
  return found === -1 ? end : start + found;
}

function refuseMarkers(text: string, start: number, end: number): void {
  const found = anyMarker.exec(blankQuotes(text.slice(start, end)));
  if (found) throw malformed(text, start + found.index, `${found[0]} fits nowhere here`);
}

function blankQuotes(text: string): string {
  return text.replace(quoted, (span) => ' '.repeat(span.length));
}

function skipSpace(text: string, at: number): number {
  const [space = ''] = /^\s*/.exec(text.slice(at, at + 64)) ?? [];
  return at + space.length;
}

function malformed(text: string, at: number, what: string): Error {
  return new Error(`not well-formed at ${at}, ${JSON.stringify(text.slice(at, at + 40))}: ${what}`);
}
