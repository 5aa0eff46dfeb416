import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;

export type BlockStart = Part<'text-start' | 'reasoning-start'>;
export type BlockDelta = Part<'text-delta' | 'reasoning-delta'>;
export type BlockEnd = Part<'text-end' | 'reasoning-end'>;

/** Puts text into blocks: one is open at a time, and none is empty unless it is asked for. */
export interface BlockWriter {
  /** Opens a block, unless it is the open one; another one that is open is closed first. */
  open(start: BlockStart): void;
  /** Writes into the block of `start`. */
  write(delta: BlockDelta, start: BlockStart): void;
  /**
   * The block is to end with this part. It waits for what comes next, as held text may still belong
   * in the block. Returns false, and does nothing, if the block is not open.
   */
  end(end: BlockEnd): boolean;
  /** Ends the open block, if there is one: anything but text follows. */
  close(): void;
}

export function createBlockWriter(enqueue: (part: LanguageModelV4StreamPart) => void): BlockWriter {
  let current: BlockStart | undefined;
  /** How the wrapped model ended the open block, until it is closed. */
  let ending: BlockEnd | undefined;

  const isCurrent = (part: BlockStart | BlockEnd) =>
    current !== undefined && current.id === part.id && isText(current) === isText(part);

  function close(): void {
    if (!current) return;
    const { type, id } = current;
    enqueue(ending ?? { type: type === 'text-start' ? 'text-end' : 'reasoning-end', id });
    current = ending = undefined;
  }

  function open(start: BlockStart): void {
    if (isCurrent(start)) return;
    close();
    current = start;
    enqueue(start);
  }

  return {
    open,
    write(delta, start) {
      if (current !== start) open(start);
      enqueue(delta);
    },
    end(end) {
      if (!isCurrent(end)) return false;
      ending = end;
      return true;
    },
    close,
  };
}

function isText({ type }: BlockStart | BlockEnd): boolean {
  return type === 'text-start' || type === 'text-end';
}
