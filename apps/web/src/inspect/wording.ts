import type { KimiEvent } from '@kimi-tc/core';
import type { Held, HeldReason, Place, TraceStep } from '@kimi-tc/core/trace';
import type { TracedDelta } from './trace-reply.ts';
import type { StreamPart } from './traced-part.ts';

/** What a thing on the page is; it has a colour and a sign. */
export type Tone = 'text' | 'reasoning' | 'marker' | 'call' | 'problem' | 'end';

export const SIGNS: Readonly<Record<Tone, string>> = {
  text: '¶',
  reasoning: '~',
  marker: '◆',
  call: 'ƒ',
  problem: '▲',
  end: '■',
};

export const TONE_NAMES: Readonly<Record<Tone, string>> = {
  text: 'Text for the user',
  reasoning: 'Reasoning',
  marker: 'Special token',
  call: 'Tool call',
  problem: 'Problem, or a call that must not run',
  end: 'End of the reply',
};

/** Something as it is shown: what kind of thing, and what it says. */
export interface Said {
  tone: Tone;
  name: string;
  text: string;
}

/** Text on one line, white space made visible. */
export function showText(text: string): string {
  return text.replaceAll('\r', '␍').replaceAll('\n', '↵').replaceAll('\t', '⇥');
}

const LONGEST_SHOWN = 160;

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

export function sayDelta({ delta, from, to }: TracedDelta, text: string, finishReason: string | null): Said {
  if (!delta) return { tone: 'end', name: 'end of stream', text: finishReason ?? 'no finish reason' };
  if ('piece' in delta) return { tone: 'call', name: 'tool_calls', text: JSON.stringify(delta.piece) };
  const shown = showText(shorten(text.slice(from, to))) || '(empty)';
  return { tone: delta.channel === 'content' ? 'text' : 'reasoning', name: delta.channel, text: shown };
}

const MARKER_NAMES: Readonly<Record<TraceStep['lexeme']['kind'], string>> = {
  text: 'text',
  'section-begin': 'section begin',
  'section-end': 'section end',
  'call-begin': 'call begin',
  'call-end': 'call end',
  'argument-begin': 'argument marker',
  'think-open': 'think open',
  'think-close': 'think close',
  'turn-end': 'turn end',
  'cut-marker': 'cut token',
  'end-of-sequence': 'end of sequence',
};

export function sayLexeme(step: TraceStep): Said {
  const { lexeme, seen, taken } = step;
  const again = taken === 0 ? 'put back' : seen > 0 ? 'again' : '';
  const asText = isData(step) ? 'as text' : '';
  const name = [MARKER_NAMES[lexeme.kind], asText, again].filter(Boolean).join(', ');
  return { tone: toneOfLexeme(step), name, text: showText(shorten(lexeme.text)) };
}

export function toneOfLexeme(step: TraceStep): Tone {
  if (step.lexeme.kind !== 'text' && !isData(step)) return 'marker';
  const tone = toneOf(step.place);
  return tone === 'marker' ? 'text' : tone; // noise of a section, or on trial: text all the same
}

/** A special token that is none where it stands: in a quote or a JSON string, which goes on behind it. */
function isData({ lexeme, place, next }: TraceStep): boolean {
  const inside = place.detail === 'quote' || place.detail === 'string';
  return lexeme.kind !== 'text' && inside && next.state === place.state && next.detail === place.detail;
}

export function toneOf({ state, detail }: Place): Tone {
  if (state === 'text') return detail === 'thought' ? 'reasoning' : 'text';
  return state === 'header' || state === 'arguments' ? 'call' : 'marker';
}

/** The lines of the staff, from the outside of a call to its inside. */
export const STAFF: readonly string[] = ['text', 'section', 'header', 'arguments', 'trial'];

export function lineOf({ state }: Place): number {
  const line = STAFF.indexOf(state);
  return line < 0 ? STAFF.indexOf('trial') : line;
}

export function sayPlace({ state, detail }: Place): string {
  const name = state.replace('-trial', '');
  if (state.endsWith('trial')) return `trial: ${name} calls`;
  return detail ? `${name} · ${detail}` : name;
}

const STATE_MEANINGS: Readonly<Record<Place['state'], string>> = {
  text: 'outside of calls: what is read here is shown, as an answer or as a thought.',
  section: 'inside a section of calls, between two of them: text here is noise.',
  header: 'inside a call, in front of its arguments: the name and number of the call.',
  arguments: 'inside the arguments of a call: JSON, in whose strings a special token is mere data.',
  'quoted-trial': 'in a quote that was never closed: nothing runs until it is clear that these are calls.',
  'guided-trial': 'the content may as a whole be a list of calls: nothing shows until that is clear.',
};

const DETAIL_MEANINGS: Readonly<Record<NonNullable<Place['detail']>, string>> = {
  thought: 'A thought is open, so text is reasoning.',
  quote: 'In a code span or fence, so special tokens are text.',
  string: 'Inside a JSON string.',
  behind: 'The JSON value is whole; what comes now stands behind it.',
};

export function explainPlace(place: Place): string {
  const { state, detail } = place;
  return `${sayPlace(place)}: ${STATE_MEANINGS[state]}${detail ? ` ${DETAIL_MEANINGS[detail]}` : ''}`;
}

const HELD_NAMES: Readonly<Record<HeldReason, string>> = {
  marker: 'may be a token',
  header: 'header',
  'section-text': 'noise?',
  'white-space': 'blank',
  'possible-id': 'may be an id',
  'text-call': 'may be a call',
  'argument-space': 'blank in JSON',
  'unsettled-value': 'no object yet',
  'possible-end': 'may be behind',
  'unnamed-call': 'no name yet',
  'quoted-calls': 'on trial',
  'guided-json': 'on trial',
};

const HELD_MEANINGS: Readonly<Record<HeldReason, string>> = {
  marker: 'it may be the beginning of a special token; the next delta tells',
  header: 'the name of a call is complete only at its argument marker',
  'section-text': 'text between calls is noise, unless the section never closes',
  'white-space': 'white space shows only if something visible follows, and vanishes in front of a call',
  'possible-id': 'it may be the id of a call that lost its special token',
  'text-call': 'it may be a call that was written as plain text',
  'argument-space': 'white space around the JSON value is none of it',
  'unsettled-value': 'a string or null in place of an object may become something else',
  'possible-end': 'the call may have ended at a call end inside of a string',
  'unnamed-call': 'the call has no usable name; its tool is told from the whole arguments',
  'quoted-calls': 'it stands in an open quote; only the end of the stream tells whether it is real',
  'guided-json': 'only as a whole it is a list of calls',
};

export function sayHeld({ reason, length }: Held): string {
  return `${length} ${HELD_NAMES[reason]}`;
}

export function explainHeld({ reason, length }: Held): string {
  return `${length} ${length === 1 ? 'unit is' : 'units are'} held: ${HELD_MEANINGS[reason]}.`;
}

export function sayEvent(event: KimiEvent): Said {
  const { type: name } = event;
  switch (event.type) {
    case 'text-delta':
      return { tone: 'text', name, text: showText(shorten(event.delta)) };
    case 'reasoning-delta':
      return { tone: 'reasoning', name, text: showText(shorten(event.delta)) };
    case 'tool-call-delta':
      return { tone: 'call', name, text: showText(shorten(event.delta)) };
    case 'tool-call-start':
    case 'tool-call-end':
      return { tone: 'call', name, text: event.id };
    case 'tool-call-error':
      return { tone: 'problem', name, text: `${event.name || 'no name'}: ${event.reason}` };
    case 'problem':
      return { tone: 'problem', name, text: event.code };
    case 'finish':
      return { tone: 'end', name, text: event.finishReason.unified };
  }
}

export function sayPart(part: StreamPart): Said {
  const { type: name } = part;
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      return { tone: 'text', name, text: '' };
    case 'text-delta':
      return { tone: 'text', name, text: showText(shorten(part.delta)) };
    case 'reasoning-start':
    case 'reasoning-end':
      return { tone: 'reasoning', name, text: '' };
    case 'reasoning-delta':
      return { tone: 'reasoning', name, text: showText(shorten(part.delta)) };
    case 'tool-input-start':
      return { tone: 'call', name, text: part.toolName };
    case 'tool-input-delta':
      return { tone: 'call', name, text: showText(shorten(part.delta)) };
    case 'tool-input-end':
      return { tone: 'call', name, text: part.id };
    case 'tool-call':
      return { tone: isIncomplete(part) ? 'problem' : 'call', name, text: part.toolName };
    case 'finish':
      return { tone: 'end', name, text: part.finishReason.unified };
    case 'error':
      return { tone: 'problem', name, text: String(part.error) };
    default:
      return { tone: 'end', name, text: '' };
  }
}

function isIncomplete(part: Extract<StreamPart, { type: 'tool-call' }>): boolean {
  return part.providerMetadata?.kimi?.incomplete !== undefined;
}
