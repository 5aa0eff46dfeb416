import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { createParser, type FinishReason, type KimiEvent, type Problem } from '@kimi-tc/core';
import { type BlockDelta, type BlockEnd, type BlockStart, createBlockWriter } from './block-writer.ts';
import { findEmptyTurn, isEmptyTurn } from './kimi-error.ts';
import { addProblems, isGivenUp } from './kimi-metadata.ts';
import type { ReplySettings } from './kimi-options.ts';
import { isMissingFinish, toFinishReason, toFinishWord } from './to-finish-reason.ts';
import { createStreamPartWriter, type IncomingDelta, type NativeCall } from './to-stream-parts.ts';
import { toUsage } from './to-usage.ts';
import type { PartTransform } from './transform-stream.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;

interface FedCall extends NativeCall {
  /** Position among the calls of the wrapped model. */
  place: number;
  id: string;
  /** The part of the input that the parser has got. */
  fed: string;
  started: boolean;
}

/**
 * The parts of one reply: text is read for calls and reasoning, all else passes as it is.
 *
 * @param enqueue told the parts that leave; the finish is the last of them, and the only one
 */
export function createReplyTransform(
  settings: ReplySettings,
  enqueue: (part: LanguageModelV4StreamPart) => void,
): PartTransform {
  const { onProblem, emptyTurn } = settings;
  const blocks = createBlockWriter(enqueue);
  const problems: Problem[] = [];
  /** The block of the wrapped model that text of a type last came in. */
  const sources: Partial<Record<BlockDelta['type'], BlockStart>> = {};
  /** Calls that the wrapped model parsed, under its ids. */
  const natives = new Map<string, FedCall>();
  /** All of them, as an id may come twice. */
  const fedCalls: FedCall[] = [];
  /** Ids of calls that are not the application's to run, that were given up, or whose input is no JSON. */
  const passing = new Set<string>();
  let incoming: IncomingDelta | undefined;
  /** What the parser reports may be about a call of the wrapped model. */
  let nativesMayStart = false;
  /** Something that the parser does not see: the turn is not empty. */
  let otherContent = false;
  /** An error that is none if the finish is next: some models report a missing finish reason as one. */
  let heldError: Part<'error'> | undefined;
  /** The last finish of the wrapped model; one leaves, as the very last part. */
  let finish: Part<'finish'> | undefined;
  let noReason = false;
  /** Some call has left that the application is to run. */
  let called = false;
  let found: FinishReason = { unified: 'other', raw: undefined };

  const writer = createStreamPartWriter({
    enqueue(part) {
      called ||= part.type === 'tool-call' && !isGivenUp(part.providerMetadata);
      enqueue(part);
    },
    blocks,
    incoming: () => incoming,
    blockOf: (type) => (sources[type] ??= { type: startOf(type), id: `kimi-${type.slice(0, -6)}` }),
    nativeOf(rawId) {
      const call = nativesMayStart ? fedCalls.find(({ id, started }) => !started && id === rawId) : undefined;
      if (call) call.started = true;
      return call;
    },
  });

  const parser = createParser({
    ...settings.parser,
    onEvent(event: KimiEvent) {
      if (event.type === 'problem') takeProblem(event);
      else if (event.type === 'finish') found = event.finishReason;
      else writer.write(event);
    },
  });

  function takeProblem({ type: _, ...problem }: Extract<KimiEvent, { type: 'problem' }>): void {
    if (isEmptyTurn(problem.code) && otherContent) return;
    if (problem.code === 'missing-call' && passing.size > 0) return;
    // Its pieces were not the call.
    const fate = writer.nativeAt(problem.index)?.fate;
    if (fate === 'replaced' || fate === 'passed') return;
    problems.push(problem);
    onProblem?.(problem);
  }

  function takeDelta(part: BlockDelta): void {
    const source = sources[part.type];
    if (source?.id !== part.id) sources[part.type] = { type: startOf(part.type), id: part.id };
    if (part.delta === '') {
      // Some models send a signature this way.
      if (part.providerMetadata) blocks.write(part, sources[part.type] as BlockStart);
      return;
    }
    incoming = part;
    parser.feed(part.delta, part.type === 'text-delta' ? 'content' : 'reasoning');
    incoming = undefined;
  }

  function takeEnd(part: BlockEnd): void {
    const start = sources[part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'];
    if (blocks.end(part) || start?.id !== part.id) return;
    if (!part.providerMetadata && !start.providerMetadata) return;
    // Nothing of it was to be shown, or a call closed it; but what the model says of it may be needed later.
    blocks.open(start);
    blocks.end(part);
  }

  function feedInput(call: FedCall, input: string): void {
    nativesMayStart = true;
    parser.feedToolCall({ index: call.place, id: call.id, arguments: input });
    nativesMayStart = false;
    call.fed += input;
  }

  function beginCall(id: string, name: string): FedCall {
    const call: FedCall = { place: fedCalls.length, id, fed: '', started: false };
    natives.set(id, call);
    fedCalls.push(call);
    nativesMayStart = true;
    parser.feedToolCall({ index: call.place, id, name });
    nativesMayStart = false;
    return call;
  }

  function takeCall(part: Part<'tool-call'>): void {
    const known = natives.get(part.toolCallId);
    const call = known && !known.call ? known : beginCall(part.toolCallId, part.toolName);
    call.call = part;
    const isSame = part.toolName === (call.start?.toolName ?? part.toolName);
    if (isSame && part.input.startsWith(call.fed)) feedInput(call, part.input.slice(call.fed.length));
    else call.fate = 'replaced';
  }

  function mustPass({ toolCallId, providerExecuted, providerMetadata }: Part<'tool-call'>): boolean {
    if (providerExecuted || passing.has(toolCallId)) return true;
    return isGivenUp(providerMetadata) && !natives.has(toolCallId);
  }

  function passCall(part: LanguageModelV4StreamPart, id: string): void {
    const begun = natives.get(id);
    if (begun && !begun.call) {
      begun.fate = 'passed';
      writer.endInput(begun);
    }
    blocks.close();
    passing.add(id);
    otherContent = true;
    enqueue(part);
  }

  function releaseError(): void {
    if (heldError) enqueue(heldError);
    heldError = undefined;
  }

  function takeFinish(part: Part<'finish'>): void {
    const { unified, raw } = part.finishReason;
    if (heldError && unified === 'error' && raw === undefined) {
      noReason = true;
      heldError = undefined;
    }
    releaseError();
    finish = part;
  }

  /** The parser has not seen the calls that passed, nor what became of others. */
  function findUnified(said: LanguageModelV4FinishReason): FinishReason['unified'] {
    if (said.unified === 'tool-calls' && (called || passing.size > 0)) return 'tool-calls';
    return found.unified === 'tool-calls' && !called ? 'stop' : found.unified;
  }

  function toFinish(said: LanguageModelV4FinishReason): Part<'finish'> {
    const error = emptyTurn === 'error' ? findEmptyTurn(problems) : undefined;
    if (error) enqueue({ type: 'error', error });
    const reason = { ...found, unified: findUnified(said) };
    const finishReason = toFinishReason(reason, error ? { ...said, unified: 'error' } : said);
    const providerMetadata = addProblems(finish?.providerMetadata, problems);
    return {
      ...(finish ?? { type: 'finish', usage: toUsage(undefined) }),
      finishReason,
      ...(providerMetadata && { providerMetadata }),
    };
  }

  function end(said: LanguageModelV4FinishReason): void {
    if (finish && !noReason && said.unified !== 'error')
      for (const call of fedCalls) if (!call.call) call.fate ??= 'withheld';
    nativesMayStart = true;
    parser.end(toFinishWord(said));
    blocks.close();
    enqueue(toFinish(said));
  }

  return {
    push(part) {
      if (part.type === 'finish') return takeFinish(part);
      releaseError();
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start':
          sources[part.type === 'text-start' ? 'text-delta' : 'reasoning-delta'] = part;
          return;
        case 'text-delta':
        case 'reasoning-delta':
          return takeDelta(part);
        case 'text-end':
        case 'reasoning-end':
          return takeEnd(part);
        case 'tool-input-start':
          if (part.providerExecuted || part.inputEncoding === 'text') return passCall(part, part.id);
          beginCall(part.id, part.toolName).start = part;
          return;
        case 'tool-input-delta': {
          const call = natives.get(part.id);
          if (!call || passing.has(part.id)) return enqueue(part);
          incoming = part;
          feedInput(call, part.delta);
          incoming = undefined;
          return;
        }
        case 'tool-input-end':
          if (passing.has(part.id)) enqueue(part);
          return;
        case 'tool-call':
          if (mustPass(part)) return passCall(part, part.toolCallId);
          return takeCall(part);
        case 'error':
          if (isMissingFinish(part.error)) {
            heldError = part;
            return;
          }
          return enqueue(part);
        case 'file':
        case 'reasoning-file':
        case 'custom':
          otherContent = true;
          return enqueue(part);
        default:
          return enqueue(part);
      }
    },
    end() {
      releaseError();
      end(finish && !noReason ? finish.finishReason : { unified: 'other', raw: undefined });
    },
    fail(error) {
      releaseError();
      enqueue({ type: 'error', error });
      end({ unified: 'error', raw: undefined });
    },
  };
}

function startOf(type: BlockDelta['type']): BlockStart['type'] {
  return type === 'text-delta' ? 'text-start' : 'reasoning-start';
}
