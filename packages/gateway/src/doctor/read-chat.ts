import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { messageOf } from '../error-message.ts';
import { isObject, type JsonObject, objectsOf, textOf } from '../json.ts';

/** What a plain client of the OpenAI API sees of a reply, streamed or not; nothing is mended. */
export interface Chat {
  readonly streamed: boolean;
  readonly content: string;
  readonly reasoningContent: string;
  readonly reasoning: string;
  readonly calls: readonly SeenCall[];
  /** All that came, in order. */
  readonly finishReasons: readonly string[];
  readonly usage: JsonObject | undefined;
  readonly usageOnChoice: boolean;
  /** What the server says in place of the rest. */
  readonly error: string | undefined;
  /** The fields of the choice, piece by piece; one piece if the reply is not streamed. */
  readonly pieces: readonly JsonObject[];
}

export interface SeenCall {
  /** Absent in a reply that is not streamed. */
  readonly index: unknown;
  readonly id: string;
  readonly name: string;
  /** A string, or what the server sent instead. */
  readonly arguments: unknown;
  readonly fragments: readonly CallFragment[];
}

/** One entry of `tool_calls`, as it came. */
export interface CallFragment {
  readonly index: unknown;
  readonly id: unknown;
  readonly type: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
  /** Number of the chunk it came in. */
  readonly chunk: number;
}

/** Folds the chunks of a stream. */
export function readChunks(chunks: readonly JsonObject[]): Chat {
  const choices = chunks.map((chunk) => objectsOf(chunk.choices)[0]);
  const deltas = choices.map((choice) => (isObject(choice?.delta) ? choice.delta : {}));
  const failed = chunks.find((chunk) => 'error' in chunk && chunk.error !== null);
  return {
    ...readFields(deltas),
    streamed: true,
    calls: foldCalls(deltas.flatMap((delta, chunk) => readFragments(delta, chunk))).filter(mayRun),
    finishReasons: choices.flatMap((choice) => textOf(choice?.finish_reason) || []),
    usage: chunks.map((chunk) => chunk.usage).findLast(isObject),
    usageOnChoice: choices.some((choice) => isObject(choice?.usage)),
    error: failed && messageOf(failed),
    pieces: deltas,
  };
}

/** Reads a completion that is not streamed. */
export function readCompletion(completion: JsonObject): Chat {
  const choice = objectsOf(completion.choices)[0];
  const message = isObject(choice?.message) ? choice.message : {};
  return {
    ...readFields([message]),
    streamed: false,
    calls: readFragments(message, 0).map(toCall),
    finishReasons: [textOf(choice?.finish_reason)].filter((word) => word !== ''),
    usage: isObject(completion.usage) ? completion.usage : undefined,
    usageOnChoice: isObject(choice?.usage),
    error: choice ? undefined : messageOf(completion),
    pieces: [message],
  };
}

function readFields(fields: readonly JsonObject[]): Pick<Chat, 'content' | 'reasoningContent' | 'reasoning'> {
  const join = (name: string): string => fields.map((field) => textOf(field[name])).join('');
  return {
    content: join('content'),
    reasoningContent: join('reasoning_content'),
    reasoning: join('reasoning'),
  };
}

function readFragments(fields: JsonObject, chunk: number): CallFragment[] {
  return objectsOf(fields.tool_calls).map(({ index, id, type, function: inner }) => {
    const { name, arguments: args } = isObject(inner) ? inner : {};
    return { index, id, type, name, arguments: args, chunk };
  });
}

/** Not a call that kimi-tc, in front of the server, has given up: no client can run it. */
function mayRun(call: SeenCall): boolean {
  return !textOf(call.arguments).endsWith(CUT_ARGUMENTS_SEAL);
}

/** Joins fragments by their index, as the SDKs do. */
function foldCalls(fragments: readonly CallFragment[]): SeenCall[] {
  const byIndex = new Map<unknown, CallFragment[]>();
  for (const fragment of fragments) {
    const own = byIndex.get(fragment.index) ?? [];
    byIndex.set(fragment.index, [...own, fragment]);
  }
  return [...byIndex.values()].map((own): SeenCall => {
    const first = toCall(own[0] as CallFragment);
    const args = own.map((fragment) => fragment.arguments);
    const isText = args.every((piece) => piece === undefined || piece === null || typeof piece === 'string');
    return {
      ...first,
      name: own.map(({ name }) => textOf(name)).find((name) => name !== '') ?? '',
      arguments: isText ? args.map(textOf).join('') : args.find((piece) => isObject(piece)),
      fragments: own,
    };
  });
}

function toCall(fragment: CallFragment): SeenCall {
  const { index, id, name, arguments: args } = fragment;
  return { index, id: textOf(id), name: textOf(name), arguments: args, fragments: [fragment] };
}
