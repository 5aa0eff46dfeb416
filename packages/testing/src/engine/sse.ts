/** How a stream of server-sent events is written. */
export interface WireStyle {
  readonly lineEnd: '\n' | '\r\n';
  /** What stands between `data:` and the value. */
  readonly afterColon: ' ' | '';
  /** A byte order mark in front of everything. */
  readonly byteOrderMark: boolean;
  /** `event:` and `id:` lines on each event. */
  readonly eventLines: boolean;
  /** What comes in front of each event while the model works. */
  readonly keepAlive: 'none' | 'comment' | 'data';
  /** How the stream ends: with `[DONE]`, without, or in the middle of a call. */
  readonly ending: 'done' | 'silent' | 'cut' | 'error';
  /** Whether the answer waits before its first byte. */
  readonly slowStart: boolean;
}

export const plainWire: WireStyle = {
  lineEnd: '\n',
  afterColon: ' ',
  byteOrderMark: false,
  eventLines: false,
  keepAlive: 'none',
  ending: 'done',
  slowStart: false,
};

/**
 * Writes one event.
 *
 * @param data the value, without line breaks
 * @param at the number of the event in its stream, from 0
 */
export function toEvent(data: string, at: number, style: WireStyle): string {
  const { lineEnd, afterColon, byteOrderMark, eventLines, keepAlive } = style;
  const lines = [
    ...(keepAlive === 'comment' ? [': keep-alive', ''] : []),
    ...(keepAlive === 'data' ? ['data: : keep-alive', ''] : []),
    ...(eventLines ? ['event: message', `id: ${at}`] : []),
    `data:${afterColon}${data}`,
    '',
    '',
  ];
  return (byteOrderMark && at === 0 ? '\ufeff' : '') + lines.join(lineEnd);
}
