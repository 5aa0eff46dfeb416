import type { Channel, ParserOptions, ToolCallPiece, ToolDefinition } from '@kimi-tc/core';
import { isText, type Piece, type Reply } from '../laws/reply.ts';

// Bytes that a fuzzer can change, as a reply. The first three choose among options; the rest is text in UTF-8, and
//     REASONING, CONTENT  what follows came in that field
//     CALL … CALL_END     one piece of a structured call: index, id, name and arguments, with FIELD between

const REASONING = '\x01';
const CONTENT = '\x02';
const CALL = '\x03';
const CALL_END = '\x04';
const FIELD = '\x05';

const RECOVERIES = ['default', 'off', 'lenient', undefined] as const;
const FINISHES = ['stop', 'tool_calls', 'length', null] as const;
const LIMITS = [undefined, undefined, { maxArgumentsLength: 12 }, { maxToolCalls: 2 }] as const;

/** @param tools what is offered, where the bytes say that tools are known */
export function fromBytes(bytes: Uint8Array, tools: readonly ToolDefinition[]): Reply & { size: number } {
  const [first = 0, second = 0, third = 0] = bytes;
  const options: ParserOptions = {
    tools: (first & 1) > 0 ? tools : undefined,
    promptOpensThink: (first & 2) > 0,
    guidedJson: (first & 4) > 0,
    toolChoice: (first & 8) > 0 ? 'none' : undefined,
    recoverTextCalls: RECOVERIES[(first >> 4) & 3],
    limits: LIMITS[(first >> 6) & 3],
  };
  const finishReason = FINISHES[second & 3] as Reply['finishReason'];
  return { options, finishReason, pieces: readPieces(bytes.subarray(3)), size: 1 + (third & 31) };
}

function readPieces(bytes: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  let channel: Channel = 'content';
  const text = new TextDecoder().decode(bytes);
  for (let at = 0; at < text.length; ) {
    const sign = text[at] as string;
    if (sign === CALL) {
      const end = indexIn(text, CALL_END, at);
      pieces.push(readCall(text.slice(at + 1, end)));
      at = end + 1;
      continue;
    }
    if (sign === REASONING || sign === CONTENT) {
      channel = sign === CONTENT ? 'content' : 'reasoning';
      at++;
    }
    const end = Math.min(...[REASONING, CONTENT, CALL].map((next) => indexIn(text, next, at)));
    pieces.push([channel, text.slice(at, end)]);
    at = end;
  }
  return pieces;
}

function indexIn(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at < 0 ? text.length : at;
}

function readCall(text: string): ToolCallPiece {
  const [index = '', id, name, args] = text.split(FIELD);
  return { ...(index !== '' && { index: Number(index) }), id, name, arguments: args };
}

/** The bytes of a reply, as far as there are bytes for it. */
export function toBytes({ pieces, options, finishReason }: Reply): Uint8Array {
  const first =
    Number((options.tools ?? []).length > 0) +
    2 * Number(options.promptOpensThink ?? false) +
    4 * Number(options.guidedJson ?? false) +
    8 * Number(options.toolChoice === 'none') +
    16 * RECOVERIES.indexOf(options.recoverTextCalls ?? 'default');
  const second = Math.max(0, FINISHES.indexOf(finishReason as (typeof FINISHES)[number]));
  const text = pieces.map((piece) => {
    if (isText(piece)) return (piece[0] === 'reasoning' ? REASONING : CONTENT) + piece[1];
    const { index, id, name, arguments: args } = piece;
    return (
      CALL + [index, id, name, typeof args === 'object' ? JSON.stringify(args) : args].join(FIELD) + CALL_END
    );
  });
  return Buffer.concat([Buffer.from([first, second, 0]), Buffer.from(text.join(''))]);
}
