import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { generateId, isParsableJson } from '@ai-sdk/provider-utils';
import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import type { KimiExtra } from '@kimi-tc/openai';
import { type BlockStart, createBlockWriter } from './block-writer.ts';
import { findEmptyTurn, isEmptyTurn, type KimiEmptyTurnError } from './kimi-error.ts';
import { addProblems, addToCall } from './kimi-metadata.ts';
import { UNKNOWN_TOOL } from './to-stream-parts.ts';
import { toUsage } from './to-usage.ts';
import type { PartTransform } from './transform-stream.ts';

type Part = LanguageModelV4StreamPart;
type Call = Extract<LanguageModelV4Content, { type: 'tool-call' }>;

/** What is known of one reply beside its parts. */
export interface WireReply {
  /** What was changed in the request, or left out of it; whole when the reply begins. */
  warnings: readonly SharedV4Warning[];
  /** What the fetch says of the reply; there when its last chunk is. */
  extra: KimiExtra;
  emptyTurn: 'finish' | 'error';
}

/**
 * The parts of a repaired reply, as the OpenAI-compatible model gives them: blocks are closed before
 * calls, and what the fetch says is told where users of the AI SDK look for it.
 */
export function createWireTransform(reply: WireReply, enqueue: (part: Part) => void): PartTransform {
  const blocks = createBlockWriter(enqueue);
  /** The last start of each type: text of a block that a call has closed opens it again. */
  const starts: Partial<Record<'text-delta' | 'reasoning-delta', BlockStart>> = {};
  /** The calls in the order of their index on the wire, with their input so far. */
  const calls: { id: string; toolName: string; input: string; called: boolean }[] = [];
  let visible = false;

  function writeOfCall(part: Part): void {
    blocks.close();
    enqueue(part);
  }

  const push: PartTransform['push'] = (part) => {
    switch (part.type) {
      case 'stream-start':
        return enqueue({ ...part, warnings: [...part.warnings, ...reply.warnings] });
      case 'text-start':
      case 'reasoning-start':
        starts[part.type === 'text-start' ? 'text-delta' : 'reasoning-delta'] = part;
        return;
      case 'text-delta':
      case 'reasoning-delta': {
        visible ||= part.type === 'text-delta' && part.delta.trim() !== '';
        const start = starts[part.type];
        return start ? blocks.write(part, start) : enqueue(part);
      }
      case 'text-end':
      case 'reasoning-end':
        blocks.end(part);
        return;
      case 'tool-input-start':
        visible = true;
        calls.push({ id: part.id, toolName: part.toolName, input: '', called: false });
        return writeOfCall(part);
      case 'tool-input-delta': {
        const call = calls.find(({ id }) => id === part.id);
        if (call) call.input += part.delta;
        return writeOfCall(part);
      }
      case 'tool-input-end':
        return writeOfCall(part);
      case 'tool-call': {
        const index = calls.findIndex(({ id }) => id === part.toolCallId);
        const call = calls[index];
        if (call) call.called = true;
        return writeOfCall(toCall(part, index, reply.extra));
      }
      case 'finish': {
        blocks.close();
        for (const call of unstartedCalls(reply)) enqueue(call);
        const { error, ...end } = toEnd(part, reply, visible);
        if (error) enqueue({ type: 'error', error });
        return enqueue({ ...part, ...end });
      }
      default:
        return enqueue(part);
    }
  };

  return {
    push,
    end() {},
    fail(error) {
      blocks.close();
      enqueue({ type: 'error', error });
      for (const { id, toolName, input, called } of calls) {
        if (called) continue;
        // Where the fetch had the time to, it has sealed those that were cut.
        const settled = input.endsWith(CUT_ARGUMENTS_SEAL) || isObjectText(input);
        const seal = settled ? '' : CUT_ARGUMENTS_SEAL;
        if (seal !== '') push({ type: 'tool-input-delta', id, delta: seal });
        push({ type: 'tool-input-end', id });
        push({ type: 'tool-call', toolCallId: id, toolName, input: input + seal });
      }
      const failed = { finishReason: { unified: 'error' as const, raw: undefined } };
      const { error: _, ...end } = toEnd(failed, reply, visible);
      enqueue({ type: 'finish', ...end, usage: toUsage(undefined) });
    },
  };
}

/**
 * A reply that is not streamed, with what the fetch says told as in a stream.
 *
 * @throws KimiEmptyTurnError if the turn is empty and `emptyTurn` is `error`
 */
export function toWireResult(
  result: LanguageModelV4GenerateResult,
  reply: WireReply,
): LanguageModelV4GenerateResult {
  let place = 0;
  const content = result.content.map((part) =>
    part.type === 'tool-call' ? toCall(part, place++, reply.extra) : part,
  );
  const visible = content.some(
    (part) => part.type !== 'reasoning' && !(part.type === 'text' && part.text.trim() === ''),
  );
  const { error, ...end } = toEnd(result, reply, visible);
  if (error) throw error;
  return {
    ...result,
    ...end,
    content: [...content, ...unstartedCalls(reply, place)],
    warnings: [...result.warnings, ...reply.warnings],
  };
}

/** @param index of the call on the wire */
function toCall(call: Call, index: number, extra: KimiExtra): Call {
  const rawId = extra.tool_calls?.find((one) => one.index === index)?.raw_id ?? call.toolCallId;
  const incomplete = extra.incomplete_tool_calls?.find((one) => one.index === index)?.reason;
  // A reply that failed midway has no last chunk that would say so.
  const reason = incomplete ?? (call.input.endsWith(CUT_ARGUMENTS_SEAL) ? 'truncated-call' : undefined);
  const providerMetadata = addToCall(call.providerMetadata, {
    toolCallId: rawId,
    ...(reason && { incomplete: reason }),
  });
  return { ...call, providerMetadata };
}

/**
 * Calls that were given up before they were on the wire: shown as what they are, and never run.
 *
 * @param given how many calls a message holds: those that were given up count on behind them
 */
function unstartedCalls({ extra }: WireReply, given = Number.POSITIVE_INFINITY): Call[] {
  const unstarted = extra.incomplete_tool_calls?.filter(({ index = given }) => index >= given) ?? [];
  return unstarted.map(({ id, name, reason, arguments: args = '' }) => {
    const toolName = name === '' ? UNKNOWN_TOOL : name;
    const providerMetadata = addToCall(undefined, { toolCallId: id, incomplete: reason });
    return {
      type: 'tool-call',
      toolCallId: generateId(),
      toolName,
      input: args + CUT_ARGUMENTS_SEAL,
      providerMetadata,
    };
  });
}

/** An object that is whole cannot go on, as a number could. */
function isObjectText(text: string): boolean {
  return text.trimEnd().endsWith('}') && isParsableJson(text);
}

type End = Pick<LanguageModelV4GenerateResult, 'finishReason' | 'providerMetadata'>;

/** @param visible whether there is anything to go on with: text that is no content, a refusal, is */
function toEnd(
  given: End,
  { extra, emptyTurn }: WireReply,
  visible: boolean,
): End & { error: KimiEmptyTurnError | undefined } {
  const problems = extra.problems?.filter(({ code }) => !(visible && isEmptyTurn(code))) ?? [];
  const error = emptyTurn === 'error' ? findEmptyTurn(problems) : undefined;
  const providerMetadata = addProblems(given.providerMetadata, problems);
  return {
    finishReason: toReason(given.finishReason, extra, error !== undefined),
    ...(providerMetadata && { providerMetadata }),
    error,
  };
}

function toReason(
  { unified, raw }: LanguageModelV4FinishReason,
  { finish_reason }: KimiExtra,
  failed: boolean,
): LanguageModelV4FinishReason {
  return {
    // The OpenAI-compatible model knows no such word.
    unified: failed || raw === 'error' ? 'error' : unified,
    raw: finish_reason === undefined ? raw : (finish_reason ?? undefined),
  };
}
