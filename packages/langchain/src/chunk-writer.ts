import { CUT_ARGUMENTS_SEAL, createAssembler, type KimiEvent } from '@kimi-tc/core';
import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { toResponseMetadata } from './kimi-metadata.ts';
import type { Rest } from './message-reader.ts';
import { type ChunkFields, toMessageChunk } from './to-message-chunk.ts';

export interface ChunkWriter {
  push(event: KimiEvent): void;
  /** What a part of a message says besides: passed on as it came, once. */
  pass(part: BaseMessage, rest: Omit<Rest, 'finishReason'>): void;
  take(): AIMessageChunk[];
}

/** Events as chunks of a message. */
export function createChunkWriter(): ChunkWriter {
  const assembler = createAssembler();
  let chunks: AIMessageChunk[] = [];
  let id: string | undefined;
  let next = 0;
  const write = (fields: ChunkFields) => {
    chunks.push(toMessageChunk({ ...fields, id }));
  };
  /** The call is on its way already: what follows makes sure that nobody runs it. */
  const seal = (index: number) => write({ calls: [{ index, args: CUT_ARGUMENTS_SEAL }] });
  const invalid = new Set<number>();

  function writeError({
    index,
    id: callId,
    name,
    arguments: args,
  }: Extract<KimiEvent, { reason: unknown }>): void {
    if (index >= 0) seal(index);
    else unstarted.push({ id: callId, name, args: args + CUT_ARGUMENTS_SEAL });
  }
  /** Calls that were given up before they started: they get their numbers behind all others. */
  const unstarted: { id: string; name: string; args: string }[] = [];

  return {
    push(event) {
      assembler.push(event);
      switch (event.type) {
        case 'text-delta':
          return write({ content: event.delta });
        case 'reasoning-delta':
          return write({ reasoning: event.delta });
        case 'tool-call-start':
          next = Math.max(next, event.index + 1);
          return write({ calls: [{ index: event.index, id: event.id, name: event.name, args: '' }] });
        case 'tool-call-delta':
          return write({ calls: [{ index: event.index, args: event.delta }] });
        case 'tool-call-error':
          return writeError(event);
        case 'problem':
          if (event.code === 'invalid-arguments' && event.index !== undefined) invalid.add(event.index);
          return;
        case 'finish': {
          for (const index of invalid) seal(index);
          const calls = unstarted.map((call, at) => ({ ...call, index: next + at }));
          return write({ calls, response_metadata: toResponseMetadata(assembler.turn) });
        }
      }
    },
    pass(part, { blocks, additional_kwargs, response_metadata }) {
      id ??= part.id;
      const { name } = part;
      const { usage_metadata } = AIMessage.isInstance(part) ? part : {};
      const metadata = [additional_kwargs, response_metadata].some(
        (fields) => Object.keys(fields).length > 0,
      );
      if (!metadata && blocks.length === 0 && !usage_metadata && name === undefined) return;
      write({
        name,
        ...(blocks.length > 0 && { content: blocks }),
        usage_metadata,
        additional_kwargs,
        response_metadata,
      });
    },
    take() {
      const taken = chunks;
      chunks = [];
      return taken;
    },
  };
}
