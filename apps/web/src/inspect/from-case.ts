import type { Channel, ToolCallPiece } from '@kimi-tc/core';
import type { CorpusCase } from '@kimi-tc/testing';
import type { Delta, Reply, ReplyOptions, Tool } from './reply.ts';

interface WireDelta {
  content?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: readonly WireCall[] | null;
}

interface WireCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: unknown };
}

interface WireChoice {
  delta?: WireDelta;
  message?: WireDelta;
  finish_reason?: string | null;
}

/** The reply of a case; nothing for a case about what an application sends. */
export function fromCase({ tools = [], options = {}, input }: CorpusCase): Reply | undefined {
  const common = { tools: tools as readonly Tool[], options: options as ReplyOptions };
  switch (input.kind) {
    case 'deltas': {
      const deltas = input.deltas.map(([channel, text]) => ({ channel, text }));
      return { ...common, deltas, finishReason: input.finishReason };
    }
    case 'chunks': {
      const choices = input.chunks.flatMap((chunk) => (chunk.choices ?? []) as unknown as WireChoice[]);
      const finish = choices.find((choice) => choice.finish_reason)?.finish_reason ?? null;
      const deltas = choices.flatMap(({ delta = {} }) => [...toText(delta), ...toCalls(delta)]);
      return { ...common, deltas, finishReason: finish };
    }
    case 'message': {
      const { message = {}, finish_reason = null } = input.choice as WireChoice;
      // Of a whole message the calls that the server parsed win, and each entry is one, whatever index it says.
      const tool_calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }));
      const deltas = [...toCalls({ tool_calls }), ...toText(message)];
      return { ...common, deltas, finishReason: finish_reason };
    }
    default:
      return undefined;
  }
}

function toText({ reasoning_content, reasoning, content }: WireDelta): Delta[] {
  const fields: [Channel, string | null | undefined][] = [
    ['reasoning', reasoning_content || reasoning],
    ['content', content],
  ];
  return fields.flatMap(([channel, text]) => (text ? [{ channel, text }] : []));
}

function toCalls({ tool_calls }: WireDelta): Delta[] {
  return (tool_calls ?? []).map(({ index, id, function: { name, arguments: args } = {} }) => ({
    channel: 'tool_calls',
    piece: {
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(args !== undefined && { arguments: args }),
    } satisfies ToolCallPiece,
  }));
}
