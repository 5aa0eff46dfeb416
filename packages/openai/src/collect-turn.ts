import {
  CUT_ARGUMENTS_SEAL,
  type FinishReason,
  type IncompleteToolCall,
  type KimiTurn,
  type ToolCall,
} from '@kimi-tc/core';
import { contentOf, reasoningOf } from './chunk-fields.ts';
import { isObject, type JsonObject, listOf, textOf } from './json.ts';
import type { ChatChunk, KimiExtra } from './kimi-chunk.ts';
import { checkStream } from './kimi-options.ts';
import { mergeExtra } from './merge-extra.ts';
import { isCustomCall } from './turn-reader.ts';

const UNIFIED: readonly string[] = ['stop', 'length', 'tool-calls', 'content-filter', 'error'];

/**
 * Puts together what a stream says in its first choice: reasoning, content, the calls that may run,
 * those that must not, the finish reason, and the problems. Calls of custom tools are passed over.
 *
 * The stream is to have come through `createKimiFetch` or `transformKimiStream`; of a server's own stream
 * it takes what there is at its word.
 *
 * @throws KimiError for what is no stream
 */
export async function collectTurn(stream: AsyncIterable<ChatChunk>): Promise<KimiTurn> {
  checkStream(stream);
  const reasoning: string[] = [];
  const content: string[] = [];
  const calls = new Map<unknown, { id: string; name: string; pieces: string[] }>();
  let word: string | undefined;
  let extra: KimiExtra = {};

  function takeCall(entry: JsonObject): void {
    if (isCustomCall(entry)) return;
    const { index, id, function: fields } = entry;
    const { name, arguments: args } = isObject(fields) ? fields : {};
    const call = calls.get(index) ?? { id: textOf(id), name: textOf(name), pieces: [] };
    calls.set(index, call);
    call.pieces.push(textOf(args));
  }

  for await (const chunk of stream) {
    const choice = listOf(chunk.choices).find((one) => isObject(one) && (one.index ?? 0) === 0);
    if (!isObject(choice)) continue;
    const delta = isObject(choice.delta) ? choice.delta : {};
    reasoning.push(reasoningOf(delta));
    content.push(contentOf(delta));
    for (const entry of listOf(delta.tool_calls)) if (isObject(entry)) takeCall(entry);
    word = textOf(choice.finish_reason) || word;
    if (isObject(choice.x_kimi)) extra = mergeExtra(choice.x_kimi, {});
  }

  const given = new Map(extra.incomplete_tool_calls?.map((call) => [call.index, call]));
  const toolCalls: ToolCall[] = [];
  for (const [index, { id, name, pieces }] of [...calls].sort(([a], [b]) => Number(a) - Number(b))) {
    if (given.has(index as number)) continue;
    const rawId = extra.tool_calls?.find((call) => call.index === index)?.raw_id ?? id;
    toolCalls.push({ index: toolCalls.length, id, name, arguments: pieces.join(''), rawId });
  }
  const incompleteToolCalls = (extra.incomplete_tool_calls ?? []).map(
    ({ index, id, name, reason, arguments: args }): IncompleteToolCall => {
      const sent = calls.get(index)?.pieces.join('') ?? '';
      return { id, name, reason, arguments: args ?? sent.replace(CUT_ARGUMENTS_SEAL, '') };
    },
  );
  return {
    reasoning: reasoning.join(''),
    content: content.join(''),
    toolCalls,
    incompleteToolCalls,
    finishReason: toFinishReason(word, extra),
    problems: extra.problems ?? [],
  };
}

function toFinishReason(word: string | undefined, { finish_reason }: KimiExtra): FinishReason {
  const unified = word?.replace('_', '-') ?? '';
  return {
    unified: UNIFIED.includes(unified) ? (unified as FinishReason['unified']) : 'other',
    raw: finish_reason === undefined ? word : (finish_reason ?? undefined),
  };
}
