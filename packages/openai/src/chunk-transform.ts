import type { KimiTurn } from '@kimi-tc/core';
import {
  type ChoiceTransform,
  createChoiceTransform,
  type KnownResult,
  type SplitRun,
} from './choice-transform.ts';
import { choiceOf, isError, usageAside } from './chunk-fields.ts';
import { isThere, type JsonObject, textOf } from './json.ts';
import type { KimiOptions, ProblemContext } from './kimi-options.ts';
import type { TextPiece } from './pieces.ts';
import { toError } from './to-error.ts';
import { toSoundChunk } from './to-sound-chunk.ts';
import { renameTools, type ToolNames } from './tool-names.ts';
import type { TurnSettings } from './turn-reader.ts';

export interface TransformSettings extends KimiOptions {
  /** For the context of problems. */
  url?: string | undefined;
  /** Tools that were sent under another name than the caller's. The names in `tools` are the sent ones. */
  toolNames?: ToolNames | undefined;
  /** Told the turn of each choice when it is over, before its finish leaves. */
  onTurn?: ((turn: KimiTurn) => void) | undefined;
}

/** The chunks of one reply: repaired, or passed on as the same object where nothing needs repair. */
export interface ChunkTransform {
  /** What leaves for the next chunk of the server, in order. */
  push(chunk: JsonObject): readonly JsonObject[];
  /**
   * The same for chunks of one choice of which only the text is read; see `ChoiceTransform.pushText`.
   * @param like an earlier chunk, which they repeat but for that
   */
  pushKnown(like: JsonObject, piece: TextPiece, split: SplitRun): KnownResult;
  /** The stream is over: all that is still held, and a finish for each choice that had none. */
  end(): readonly JsonObject[];
  /** The reply failed: what was held, what there is to say about it, and no finish that has not come. */
  fail(): readonly JsonObject[];
}

/** One parser per choice. */
export function createChunkTransform(settings: TransformSettings): ChunkTransform {
  /** In the order of their finishes, which wait for the end: the last usage stays the last. */
  const choices = new Map<unknown, ChoiceTransform>();
  /** The last chunk without a choice. */
  let bare: JsonObject | undefined;
  /** The last chunk with nothing but usage: it is sent behind the finish, unless something else comes first. */
  let usage: JsonObject | undefined;
  let ended = false;

  function pushTo({ index }: JsonObject, chunk: JsonObject): readonly JsonObject[] {
    const choice =
      choices.get(index) ?? createChoiceTransform(toTurnSettings(settings, index as number, chunk));
    const out = choice.push(chunk);
    if (choice.isFinished()) choices.delete(index);
    choices.set(index, choice);
    return out;
  }

  function takeUsage(): JsonObject[] {
    const chunk = usage;
    usage = undefined;
    return chunk ? [chunk] : [];
  }

  function endChoices(withUsage: boolean): JsonObject[] {
    return [...choices.values()].flatMap((choice) => choice.end(withUsage));
  }

  /** A chunk with the parts of several choices: one of each, and together again if all may pass. */
  function pushSeveral(chunk: JsonObject, parts: readonly JsonObject[]): readonly JsonObject[] {
    const { usage: _, x_groq: __, ...rest } = chunk;
    const single = parts.map((choice, at) => ({
      ...(at === parts.length - 1 ? chunk : rest),
      choices: [choice],
    }));
    const out = parts.map((choice, at) => pushTo(choice, single[at] as JsonObject));
    const pass = out.every((chunks, at) => chunks.length === 1 && chunks[0] === single[at]);
    return pass ? [chunk] : out.flat();
  }

  function pushBare(chunk: JsonObject): readonly JsonObject[] {
    const told = chunk.usage ?? usageAside(chunk, {});
    if (!isThere(told) || choices.size === 0) return [chunk];
    const before = takeUsage();
    usage = isThere(chunk.usage) ? chunk : { ...chunk, usage: told };
    return before;
  }

  function fail(): JsonObject[] {
    if (ended) return [];
    ended = true;
    const last = (choice: ChoiceTransform) =>
      choice.isFinished() ? choice.end(usage === undefined) : choice.fail();
    return [...[...choices.values()].flatMap(last), ...takeUsage()];
  }

  function push(given: JsonObject): readonly JsonObject[] {
    if (ended) return [given];
    if (isError(given)) return [...fail(), toError(given, JSON.stringify(given))];
    const chunk = toSoundChunk(given, (index) => !choices.has(index));
    const parts = chunk.choices as readonly JsonObject[];
    const [choice] = parts;
    if (!choice) {
      if (chunk === given) bare = chunk;
      return pushBare(chunk);
    }
    if (parts.length > 1) return [...takeUsage(), ...pushSeveral(chunk, parts)];
    const out = pushTo(choice, chunk);
    return usage ? [...takeUsage(), ...out] : out;
  }

  const pushKnown: ChunkTransform['pushKnown'] = (like, piece, split) => {
    const known = ended || usage ? undefined : choices.get(choiceOf(like).index);
    return known?.pushText(like, piece, split) ?? 'unread';
  };

  function end(): JsonObject[] {
    if (ended) return [];
    const opened = choices.size === 0 ? openEmpty() : [];
    ended = true;
    return [...opened, ...endChoices(usage === undefined), ...takeUsage()];
  }

  /** A reply that holds no choice is an empty turn, and ends as one: clients wait for a finish. */
  function openEmpty(): readonly JsonObject[] {
    const { usage: _, ...rest } = bare ?? toFirstChunk(settings.model);
    const delta = { role: 'assistant', content: '' };
    return push({ ...rest, choices: [{ index: 0, delta, finish_reason: null }] });
  }

  const { toolNames } = settings;
  if (!toolNames || toolNames.size === 0) return { push, pushKnown, end, fail };
  const renameOne = (chunk: JsonObject) => renameTools(chunk, toolNames);
  const rename = (chunks: readonly JsonObject[]) => chunks.map(renameOne);
  return {
    push: (chunk) => rename(push(chunk)),
    pushKnown: (...known) => {
      const out = pushKnown(...known);
      if (typeof out === 'string') return out;
      return { ...out, chunks: rename(out.chunks), toChunk: (piece) => renameOne(out.toChunk(piece)) };
    },
    end: () => rename(end()),
    fail: () => rename(fail()),
  };
}

/** The fields of a chunk, where the server has sent none. */
function toFirstChunk(model: KimiOptions['model']): JsonObject {
  return {
    id: '',
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model: typeof model === 'object' ? model.id : (model ?? ''),
  };
}

/** What a reader of one choice needs, from the options of the whole reply. */
export function toTurnSettings(options: TransformSettings, choice: number, reply: JsonObject): TurnSettings {
  const { onProblem, onTurn, url } = options;
  const model = typeof options.model === 'object' ? options.model.id : (options.model ?? textOf(reply.model));
  const id = textOf(reply.id);
  const context: ProblemContext = {
    of: 'reply',
    choice,
    ...(id !== '' && { id }),
    ...(model !== '' && { model }),
    ...(url !== undefined && { url }),
  };
  return {
    parser: options,
    onProblem: (problem) => onProblem?.(problem, context),
    onTurn,
  };
}
