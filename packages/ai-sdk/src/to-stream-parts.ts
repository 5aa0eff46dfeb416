import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { generateId } from '@ai-sdk/provider-utils';
import { CUT_ARGUMENTS_SEAL, type KimiEvent } from '@kimi-tc/core';
import type { BlockDelta, BlockStart, BlockWriter } from './block-writer.ts';
import { addToCall } from './kimi-metadata.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;

/** A delta of the wrapped model. */
export type IncomingDelta = BlockDelta | Part<'tool-input-delta'>;

/** What a wrapped model itself said of a call that it parsed. */
export interface NativeCall {
  start?: Part<'tool-input-start'>;
  call?: Part<'tool-call'>;
}

export interface StreamPartWriterOptions {
  enqueue(part: LanguageModelV4StreamPart): void;
  blocks: BlockWriter;
  /** The delta being read, if an event may be just that delta again. */
  incoming(): IncomingDelta | undefined;
  /** The block that text of a type goes into. */
  blockOf(type: BlockDelta['type']): BlockStart;
  /** What the wrapped model said of a call that starts, if the call is its. */
  nativeOf(rawId: string): NativeCall | undefined;
}

/** The name of a call whose own name could not be made out; an empty one breaks servers and UIs. */
export const UNKNOWN_TOOL = 'unknown_tool';

interface StartedCall {
  id: string;
  rawId: string;
  native: NativeCall | undefined;
}

/** Events of one turn to stream parts; problems and the finish are for others. */
export function createStreamPartWriter(options: StreamPartWriterOptions): (event: KimiEvent) => void {
  const { enqueue, blocks, incoming, blockOf, nativeOf } = options;
  const started = new Map<number, StartedCall>();

  function writeOfCall(part: LanguageModelV4StreamPart): void {
    blocks.close();
    enqueue(part);
  }

  function writeText(type: BlockDelta['type'], delta: string): void {
    const part = incoming();
    const start = blockOf(type);
    const same = part?.type === type && part.delta === delta;
    blocks.write(same ? part : { type, id: start.id, delta }, start);
  }

  function writeInput(id: string, delta: string): void {
    const part = incoming();
    const same = part?.type === 'tool-input-delta' && part.id === id && part.delta === delta;
    writeOfCall(same ? part : { type: 'tool-input-delta', id, delta });
  }

  function start({ index, id, name, rawId }: Extract<KimiEvent, { type: 'tool-call-start' }>): void {
    const native = nativeOf(rawId);
    const call: StartedCall = { id, rawId, native };
    started.set(index, call);
    const providerMetadata = addToCall(native?.start?.providerMetadata, { toolCallId: rawId });
    writeOfCall({
      ...native?.start,
      type: 'tool-input-start',
      id: call.id,
      toolName: name,
      providerMetadata,
    });
  }

  function finish(
    event: Extract<KimiEvent, { type: 'tool-call-end' | 'tool-call-error' }>,
    input: string,
  ): void {
    const toolName = event.name === '' ? UNKNOWN_TOOL : event.name;
    const { id, rawId, native } = started.get(event.index) ?? {
      id: generateId(),
      rawId: event.id,
      native: undefined,
    };
    if (started.delete(event.index)) writeOfCall({ type: 'tool-input-end', id });
    const providerMetadata = addToCall(native?.call?.providerMetadata, {
      toolCallId: rawId,
      ...(event.type === 'tool-call-error' && { incomplete: event.reason }),
    });
    writeOfCall({
      ...native?.call,
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input,
      providerMetadata,
    });
  }

  return function write(event) {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return writeText(event.type, event.delta);
      case 'tool-call-start':
        return start(event);
      case 'tool-call-delta': {
        const id = started.get(event.index)?.id;
        if (id !== undefined) writeInput(id, event.delta);
        return;
      }
      case 'tool-call-end':
        return finish(event, event.arguments);
      case 'tool-call-error': {
        const id = started.get(event.index)?.id;
        if (id !== undefined) writeOfCall({ type: 'tool-input-delta', id, delta: CUT_ARGUMENTS_SEAL });
        return finish(event, event.arguments + CUT_ARGUMENTS_SEAL);
      }
    }
  };
}
