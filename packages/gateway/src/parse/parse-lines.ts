import { createAssembler, type KimiEvent } from '@kimi-tc/core';
import { describeError } from '../terminal/read-input.ts';
import { parseRecord } from './parse-record.ts';
import type { TextOptions } from './parse-text.ts';
import { type Line, LONGEST_LINE, readLines } from './read-lines.ts';
import { type ReplyRecord, readRecord } from './reply-record.ts';

export interface LinesOptions extends TextOptions {
  /** Write the events of each reply instead of its turn. */
  readonly events?: boolean | undefined;
}

export interface LinesSink {
  /** Takes lines of output; the next input is read when it resolves. */
  write(text: string): Promise<void>;
  /** Hears of a line that could not be read. */
  refuse(line: number, reason: string): void;
  /** Hears how far the work has come. */
  progress?(lines: number, bytes: number): void;
}

export interface LinesSummary {
  /** Lines that held something. */
  readonly lines: number;
  readonly refused: number;
}

/**
 * Turns lines of recorded replies into lines of turns, piece by piece: what is held is one piece of the
 * input and what became of it. A line that cannot be read is told, and the next one is read.
 */
export async function parseLines(
  bytes: AsyncIterable<Uint8Array>,
  options: LinesOptions,
  sink: LinesSink,
): Promise<LinesSummary> {
  const { events = false, ...parser } = options;
  let lines = 0;
  let refused = 0;
  let read = 0;
  for await (const batch of readLines(count(bytes))) {
    const written: string[] = [];
    for (const line of batch) {
      lines += 1;
      try {
        // A line is written whole or not at all.
        written.push(toOutput(line, parser, events));
      } catch (error) {
        refused += 1;
        sink.refuse(line.number, describeError(error));
      }
    }
    await sink.write(written.join(''));
    sink.progress?.(lines, read);
  }
  return { lines, refused };

  async function* count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      read += piece.byteLength;
      yield piece;
    }
  }
}

function toOutput({ number, text }: Line, options: LinesOptions, events: boolean): string {
  if (text === undefined) throw new Error(`longer than ${LONGEST_LINE} characters`);
  return readRecord(text)
    .map((record) => {
      const head = toHead(number, record);
      return events ? writeEvents(record, options, head) : writeTurn(record, options, head);
    })
    .join('');
}

/** Says which reply it was: the line, and id and choice if the record has them. */
function toHead(line: number, { id, choice }: ReplyRecord): object {
  return { line, ...(id !== undefined && { id }), ...(choice !== undefined && { choice }) };
}

function writeTurn(record: ReplyRecord, options: LinesOptions, head: object): string {
  const assembler = createAssembler();
  parseRecord(record, options, assembler.push);
  return `${JSON.stringify({ ...head, ...assembler.turn })}\n`;
}

function writeEvents(record: ReplyRecord, options: LinesOptions, head: object): string {
  const events: KimiEvent[] = [];
  parseRecord(record, options, (event) => events.push(event));
  return events.map((event) => `${JSON.stringify({ ...head, event })}\n`).join('');
}
