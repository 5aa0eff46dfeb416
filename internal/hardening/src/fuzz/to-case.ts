import { isText, type Piece, play, type Reply } from '../laws/reply.ts';

/**
 * A reply in the form of a corpus case (`packages/testing/cases/README.md`), to be given a topic, an id, a note and
 * what is expected. What the parser makes of it now stands there as a start; it is what was found wrong.
 */
export function toCase(reply: Reply): Record<string, unknown> {
  const { tools, promptOpensThink, recoverTextCalls, toolChoice, guidedJson } = reply.options;
  const given = { promptOpensThink, recoverTextCalls, toolChoice, guidedJson };
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const input = reply.pieces.every(isText)
    ? { kind: 'deltas', deltas: reply.pieces, finishReason: reply.finishReason }
    : { kind: 'chunks', chunks: [...reply.pieces.map(toChunk), finishChunk(reply.finishReason)] };
  return {
    id: '',
    topic: '',
    source: 'project case',
    family: 'k2',
    note: '',
    ...(tools && { tools }),
    ...(Object.keys(options).length > 0 && { options }),
    input,
    expected: readNow(reply),
  };
}

function toChunk(piece: Piece): unknown {
  if (isText(piece)) {
    const [channel, text] = piece;
    return chunkOf(channel === 'content' ? { content: text } : { reasoning_content: text });
  }
  const { index, id, name, arguments: args } = piece;
  return chunkOf({ tool_calls: [{ index, id, function: { name, arguments: args } }] });
}

function chunkOf(delta: unknown, reason: string | null = null): unknown {
  return { choices: [{ index: 0, delta, finish_reason: reason }] };
}

const finishChunk = (reason: string | null) => chunkOf({}, reason);

function readNow(reply: Reply): unknown {
  try {
    const { turn } = play(reply);
    return {
      reasoning: turn.reasoning,
      content: turn.content,
      toolCalls: turn.toolCalls.map(({ rawId: _, ...call }) => call),
      incompleteToolCalls: turn.incompleteToolCalls.map(({ name, arguments: args }) => ({
        name,
        arguments: args,
      })),
      finishReason: turn.finishReason.unified.replace('-', '_'),
      problems: turn.problems.map(({ code }) => code),
    };
  } catch (error) {
    return `throws ${String(error)}`;
  }
}
