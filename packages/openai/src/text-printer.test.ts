import { expect, test } from 'vitest';
import type { Piece, TextPiece } from './pieces.ts';
import { createTextPrinter } from './text-printer.ts';

const content = (text: string): TextPiece => ({ type: 'content', text });
const args = (text: string, index: number): TextPiece => ({ type: 'arguments', index, text });

const textOf = (piece: Piece) => (piece.type === 'tool-call' ? piece.name : piece.text);

test('prints what the chunk would be printed as, making it once', () => {
  const printer = createTextPrinter();
  let made = 0;
  const toChunk = (piece: Piece) => {
    made++;
    const text = textOf(piece);
    return { id: 'c', both: [text, text] };
  };
  for (const text of ['a', '"\n', 'é 😀', '\u0018']) {
    expect(printer.print(0, content(text), toChunk)).toBe(
      `data: ${JSON.stringify({ id: 'c', both: [text, text] })}\n\n`,
    );
  }
  expect(made).toBe(1);
});

test('tells choices, fields and calls apart, and forgets', () => {
  const printer = createTextPrinter();
  const print = (choice: number, piece: TextPiece, name: string) =>
    printer.print(choice, piece, (printed) => ({ name, text: textOf(printed) }));
  const names = [
    print(0, content('x'), 'a'),
    print(1, content('x'), 'b'),
    print(0, args('x', 0), 'c'),
    print(0, args('x', 1), 'd'),
    print(0, { type: 'reasoning', text: 'x' }, 'e'),
    print(0, content('x'), 'f'),
  ];
  printer.forget();
  names.push(print(0, content('x'), 'g'));
  expect(names.map((json) => JSON.parse(json.slice(6)).name)).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'g']);
});

test('makes a chunk for each beginning of a call', () => {
  const printer = createTextPrinter();
  const print = (name: string) =>
    printer.print(0, { type: 'tool-call', index: 0, id: 'x', name }, (piece) => ({ said: textOf(piece) }));
  expect([print('f'), print('g')]).toEqual(['data: {"said":"f"}\n\n', 'data: {"said":"g"}\n\n']);
});
