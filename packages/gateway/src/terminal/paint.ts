import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Writes text in a style, where the reader of the stream sees styles. */
export type Paint = (style: Style, text: string) => string;

/** Styles for a stream: none if it is no terminal, or `NO_COLOR` is set. */
export function createPaint(stream: Writable): Paint {
  return (style, text) => styleText(style, text, { stream });
}
