import { type Delta, type Reply, textOf } from './reply.ts';
import type { StreamPart, TracedPart } from './traced-part.ts';

type FinishReason = Extract<StreamPart, { type: 'finish' }>['finishReason'];

const UNIFIED: Record<string, FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
};

interface ServerCall {
  id: string;
  name: string;
  input: string;
  isStarted: boolean;
}

/**
 * A reply as a provider that knows nothing of Kimi streams it to the AI SDK: each field a block, calls that
 * the server parsed put together by their index.
 */
export function* replayParts({ deltas, finishReason }: Reply): Generator<TracedPart, undefined> {
  const callOf = groupCalls(deltas);
  let open: 'text' | 'reasoning' | undefined;
  let index = 0;
  const at = (part: StreamPart): TracedPart => ({ part, delta: index });

  yield at({ type: 'stream-start', warnings: [] });
  for (; index < deltas.length; index++) {
    const delta = deltas[index] as Delta;
    if ('text' in delta) {
      if (delta.text === '') continue;
      const type = delta.channel === 'content' ? 'text' : 'reasoning';
      if (open && open !== type) yield at({ type: `${open}-end`, id: open });
      if (open !== type) yield at({ type: `${type}-start`, id: type });
      open = type;
      yield at({ type: `${type}-delta`, id: type, delta: delta.text });
      continue;
    }
    const call = callOf.get(delta);
    if (!call) continue;
    if (open) yield at({ type: `${open}-end`, id: open });
    open = undefined;
    if (!call.isStarted) yield at({ type: 'tool-input-start', id: call.id, toolName: call.name });
    call.isStarted = true;
    const piece = argumentsOf(delta);
    call.input += piece;
    if (piece !== '') yield at({ type: 'tool-input-delta', id: call.id, delta: piece });
  }
  if (open) yield at({ type: `${open}-end`, id: open });
  for (const { id, name, input } of new Set(callOf.values())) {
    yield at({ type: 'tool-input-end', id });
    yield at({ type: 'tool-call', toolCallId: id, toolName: name, input });
  }
  yield at({
    type: 'finish',
    finishReason: { unified: UNIFIED[finishReason ?? ''] ?? 'other', raw: finishReason || undefined },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: textOf(deltas).length, text: undefined, reasoning: undefined },
    },
  });
}

/** The call that each piece belongs to; its id and name may come with any of its pieces. */
function groupCalls(deltas: readonly Delta[]): Map<Delta, ServerCall> {
  const ofDelta = new Map<Delta, ServerCall>();
  const byIndex = new Map<unknown, ServerCall>();
  let last: ServerCall | undefined;
  for (const delta of deltas) {
    if ('text' in delta) continue;
    const { index, id, name } = delta.piece;
    const begins = id !== undefined && id !== null && id !== '' && id !== last?.id;
    const known = index === undefined ? (begins ? undefined : last) : byIndex.get(index);
    const call = known ?? { id: '', name: '', input: '', isStarted: false };
    if (index !== undefined) byIndex.set(index, call);
    call.id ||= id || '';
    if (name && name !== call.name) call.name += name;
    ofDelta.set(delta, call);
    last = call;
  }
  for (const [position, call] of [...new Set(ofDelta.values())].entries()) call.id ||= `call-${position}`;
  return ofDelta;
}

function argumentsOf(delta: Extract<Delta, { piece: unknown }>): string {
  const { arguments: piece } = delta.piece;
  if (piece === undefined || piece === null) return '';
  return typeof piece === 'string' ? piece : JSON.stringify(piece);
}
