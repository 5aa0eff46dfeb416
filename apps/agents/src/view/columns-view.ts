import type { AgentEvent, RawField } from '../agent.ts';
import { createColumn, joinColumns } from './column.ts';
import { createReplyWriter, writeRaw } from './reply-writer.ts';
import type { Screen } from './screen.ts';

/** One turn with what the server sent on the left, and what the app received on the right. */
export interface ColumnsView {
  raw(field: RawField, delta: string): void;
  received(event: AgentEvent): void;
  /** Draws the turn as it will stay. */
  close(): void;
}

/** Milliseconds between two drawings of a turn that is still coming. */
const drawInterval = 40;

export function createColumnsView(screen: Screen): ColumnsView {
  const received = createColumn(screen.paint);
  const write = createReplyWriter(received);
  const raw = createRawText();
  /** Lines of the last drawing, to be drawn over. */
  let drawn = 0;
  let drawnAt = 0;
  /** A turn that is higher than the screen is drawn once, at its end. */
  let isLive = screen.height > 0;

  const lines = (): string[] => {
    const sent = createColumn(screen.paint);
    writeRaw(sent, raw.parts());
    return [
      ...joinColumns(
        title(screen, 'the server sent'),
        title(screen, 'the app received'),
        screen.width,
        screen.paint,
      ),
      ...joinColumns(sent, received, screen.width, screen.paint),
    ];
  };

  const draw = (content: readonly string[]): void => {
    const back = drawn > 0 ? `\x1b[${drawn}A\r\x1b[J` : '';
    screen.write(`${back}${content.map((line) => `${line}\n`).join('')}`);
    drawn = content.length;
  };

  const drawLive = (): void => {
    if (!isLive || Date.now() - drawnAt < drawInterval) return;
    const content = lines();
    if (content.length >= screen.height) {
      isLive = false;
      return;
    }
    draw(content);
    drawnAt = Date.now();
  };

  return {
    raw(field, delta) {
      raw.add(field, delta);
      drawLive();
    },
    received(event) {
      write(event);
      drawLive();
    },
    close() {
      draw(lines());
      drawn = 0;
    },
  };
}

/** The raw text of a turn, field by field in the order of arrival. */
export function createRawText(): {
  add(field: RawField, delta: string): void;
  parts(): { field: RawField; text: string }[];
} {
  const collected: { field: RawField; pieces: string[] }[] = [];
  return {
    add(field, delta) {
      const last = collected.at(-1);
      if (last?.field === field) last.pieces.push(delta);
      else collected.push({ field, pieces: [delta] });
    },
    parts: () => collected.map(({ field, pieces }) => ({ field, text: pieces.join('') })),
  };
}

function title(screen: Screen, text: string): ReturnType<typeof createColumn> {
  const column = createColumn(screen.paint);
  column.paragraph('');
  column.write(text, 'strong');
  return column;
}
