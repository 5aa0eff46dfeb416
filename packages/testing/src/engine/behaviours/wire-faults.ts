import type { Behaviour } from '../behaviour.ts';

export type WireFault =
  | 'missing-done'
  | 'cut-mid-call'
  | 'error-mid-stream'
  | 'keep-alive-comments'
  | 'keep-alive-as-data'
  | 'crlf'
  | 'tight-data-lines'
  | 'event-lines'
  | 'byte-order-mark'
  | 'slow-first-byte';

const eventStreams = 'HTML standard, section 9.2 (server-sent events)';

/** How the answer is written to the connection. The spellings of events are legal, if rare. */
export const wireFaults: Readonly<Record<WireFault, Behaviour>> = {
  'missing-done': {
    doc: 'The stream ends without `[DONE]`.',
    source: 'ikawrakow/ik_llama.cpp#467',
    wire: { ending: 'silent' },
  },
  'cut-mid-call': {
    doc: 'The connection breaks in the middle of the first call; without a call, in the middle of the reply.',
    source: 'justrach/codegraff#133',
    wire: { ending: 'cut' },
  },
  'error-mid-stream': {
    doc: 'An error object comes in the middle of the first call, and the stream ends. Not streamed: status 500.',
    source: 'aaif-goose/goose#8027',
    wire: { ending: 'error' },
  },
  'keep-alive-comments': {
    doc: 'A comment line stands in front of each event.',
    source: 'deepnoodle-ai/dive#206',
    wire: { keepAlive: 'comment' },
  },
  'keep-alive-as-data': {
    doc: 'A data event that is no JSON, `: keep-alive`, stands in front of each event.',
    source: 'anomalyco/opencode#50871',
    wire: { keepAlive: 'data' },
  },
  crlf: { doc: 'Lines end in CR LF.', source: eventStreams, wire: { lineEnd: '\r\n' } },
  'tight-data-lines': { doc: 'No space behind `data:`.', source: eventStreams, wire: { afterColon: '' } },
  'event-lines': {
    doc: 'Each event has `event:` and `id:` lines.',
    source: eventStreams,
    wire: { eventLines: true },
  },
  'byte-order-mark': {
    doc: 'The stream begins with a byte order mark.',
    source: eventStreams,
    wire: { byteOrderMark: true },
  },
  'slow-first-byte': {
    doc: 'Nothing comes for `slowMs`, not even the headers.',
    source: 'MoonshotAI/kimi-code#2687',
    wire: { slowStart: true },
  },
};
