import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { generateId, isParsableJson } from '@ai-sdk/provider-utils';
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
  /**
   * What became of the call, if it is not just what its pieces told. Pieces of input are a preview, a `tool-call` is the
   * call: another middleware may have changed it behind them (`replaced`) or taken it out (`withheld`), and the
   * provider may run it (`passed`: it has left already).
   */
  fate?: 'replaced' | 'withheld' | 'passed';
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

export interface StreamPartWriter {
  /** Events of one turn to stream parts; problems and the finish are for others. */
  write(event: KimiEvent): void;
  /** No more input of a call is to leave. */
  endInput(native: NativeCall): void;
  /** What the wrapped model said of a call that has started. */
  nativeAt(index: number | undefined): NativeCall | undefined;
}

interface StartedCall {
  id: string;
  rawId: string;
  native: NativeCall | undefined;
  /** Its input has begun to leave, and has not ended. */
  open: boolean;
}

export function createStreamPartWriter(options: StreamPartWriterOptions): StreamPartWriter {
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

  function writeEnd(call: StartedCall): void {
    if (call.open) writeOfCall({ type: 'tool-input-end', id: call.id });
    call.open = false;
  }

  function start({ index, id, name, rawId }: Extract<KimiEvent, { type: 'tool-call-start' }>): void {
    const native = nativeOf(rawId);
    const call: StartedCall = { id, rawId, native, open: native?.fate !== 'passed' };
    started.set(index, call);
    if (!call.open) return;
    const providerMetadata = addToCall(native?.start?.providerMetadata, { toolCallId: rawId });
    writeOfCall({
      ...native?.start,
      type: 'tool-input-start',
      id: call.id,
      toolName: name,
      providerMetadata,
    });
  }

  function finish(event: Extract<KimiEvent, { type: 'tool-call-end' | 'tool-call-error' }>): void {
    const call = started.get(event.index) ?? {
      id: generateId(),
      rawId: event.id,
      native: undefined,
      open: false,
    };
    const { id, rawId, native } = call;
    const own = native?.fate === 'replaced' ? native.call : undefined;
    const { toolName, input } = own ?? { toolName: event.name, input: event.arguments };
    const incomplete =
      event.type === 'tool-call-error' && !(own && isParsableJson(own.input)) ? event.reason : undefined;
    const seal = incomplete ? CUT_ARGUMENTS_SEAL : '';
    if (call.open && seal !== '') writeOfCall({ type: 'tool-input-delta', id, delta: seal });
    writeEnd(call);
    if (native?.fate === 'passed' || (native?.fate === 'withheld' && !incomplete)) return;
    const providerMetadata = addToCall(native?.call?.providerMetadata, {
      toolCallId: rawId,
      ...(incomplete && { incomplete }),
    });
    writeOfCall({
      ...native?.call,
      type: 'tool-call',
      toolCallId: id,
      toolName: toolName === '' ? UNKNOWN_TOOL : toolName,
      input: input + seal,
      providerMetadata,
    });
  }

  return {
    write(event) {
      switch (event.type) {
        case 'text-delta':
        case 'reasoning-delta':
          return writeText(event.type, event.delta);
        case 'tool-call-start':
          return start(event);
        case 'tool-call-delta': {
          const call = started.get(event.index);
          if (call?.open) writeInput(call.id, event.delta);
          return;
        }
        case 'tool-call-end':
        case 'tool-call-error':
          return finish(event);
      }
    },
    endInput(native) {
      for (const call of started.values()) if (call.native === native) writeEnd(call);
    },
    nativeAt: (index) => (index === undefined ? undefined : started.get(index)?.native),
  };
}
