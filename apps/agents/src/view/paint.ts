import { styleText } from 'node:util';

const formats = {
  plain: [],
  faint: ['dim'],
  thought: ['dim', 'italic'],
  strong: ['bold'],
  call: ['cyan', 'bold'],
  arguments: ['cyan'],
  good: ['green'],
  bad: ['red'],
  note: ['yellow'],
  token: ['magenta', 'bold'],
} as const;

/** How a text looks, by what it is. */
export type Style = keyof typeof formats;

/** Makes text look like what it is; without colours it stays as it is. */
export type Paint = (text: string, style: Style) => string;

export function createPaint(colours: boolean): Paint {
  if (!colours) return (text) => text;
  return (text, style) =>
    formats[style].length === 0 ? text : styleText([...formats[style]], text, { validateStream: false });
}
