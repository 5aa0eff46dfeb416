import type { ModelProfile } from '../grammar/models.ts';
import { createToolBox, type HostedTool, type ToolBox, type ToolDefinition } from '../grammar/tools.ts';
import { expectObject, expectOption, KimiError } from '../kimi-error.ts';
import type { Channel, KimiEvent } from './events.ts';
import { createK2Machine, type MachineSettings } from './k2-machine.ts';
import type { ToolCallPiece } from './structured-calls.ts';

/** What is known about the reply that is read. Everything may be left out. */
export interface ParserOptions {
  /**
   * Model id, family, or profile. There is one grammar so far, that of K2, which does no harm where it does not
   * occur: text of K3 is passed on as it is. Says nothing about thinking, see `promptOpensThink`.
   */
  model?: string | ModelProfile | undefined;
  /** The tools of the request, OpenAI-shaped. Absent or empty: unknown, so that any name is taken. */
  tools?: readonly (ToolDefinition | HostedTool)[] | undefined;
  /** The tool choice of the request. `none` removes calls instead of delivering them. Default `auto`. */
  toolChoice?: 'auto' | 'none' | 'required' | { name: string } | undefined;
  /**
   * The prompt ended inside an open `<think>`, as those of K2.5 and later do, so that the raw content starts
   * as reasoning. Not told from `model`: a server may have cut the thought out already. Default false.
   */
  promptOpensThink?: boolean | undefined;
  /**
   * Calls written as plain text. `default`: `functions.NAME:IDX{…}` of offered tools (a server that
   * strips special tokens leaves that). `lenient`: also the forms of other models, such as
   * `NAME({…})` on a line of its own; content then waits from the first sign of such a form to the
   * end of its text run. `off`: none.
   */
  recoverTextCalls?: 'off' | 'default' | 'lenient' | undefined;
  /** The server was forced to answer with a JSON list of calls; content waits until it is whole. Default false. */
  guidedJson?: boolean | undefined;
  /**
   * Ids of earlier calls of the conversation, as the application knows them. A call that repeats one
   * gets the next free id and `id-rewritten`, since models restart their counters and hosts tell calls
   * apart by their ids. Default: none.
   */
  takenToolCallIds?: readonly string[] | undefined;
  /** What is refused, by count; off by default. Beyond a limit a call ends as `limit-exceeded`. */
  limits?:
    | {
        /** UTF-16 units of one call's arguments. */
        maxArgumentsLength?: number | undefined;
        /** Calls of one turn. */
        maxToolCalls?: number | undefined;
      }
    | undefined;
}

/** Reads one reply: any number of `feed` and `feedToolCall`, then `end` once. */
export interface KimiParser {
  /**
   * Takes the next piece of one field of the reply, of any length, and reports what is certain by now.
   * @param channel the field it came in; default `content`
   * @throws KimiError when `delta` is not a string, `channel` is unknown, or the turn has ended
   */
  feed(delta: string, channel?: Channel): void;
  /**
   * Takes a piece of a call that the server parsed itself (an entry of `tool_calls`, its `function`
   * fields beside `index` and `id`). Such calls end with the stream, as only its finish reason tells
   * whether they were cut. A call that also stands in the text counts once: in a stream the one that
   * came first; of a whole message feed the structured calls first, so that they win.
   * @throws KimiError when `piece` is not an object, or the turn has ended
   */
  feedToolCall(piece: ToolCallPiece): void;
  /**
   * The reply is over: reports all that was held, then `finish`. Later calls do nothing.
   * @param finishReason the server's own word, e.g. `stop`; absent when it sent none
   * @throws KimiError when it is not a string
   */
  end(finishReason?: string | null): void;
  /** Forgets everything, for the next turn. */
  reset(): void;
}

const isCount = (value: unknown) => value === undefined || (Number.isInteger(value) && (value as number) > 0);

/** The settings that options stand for. @throws KimiError naming the option that is wrong */
export function checkOptions(options: ParserOptions & { onEvent(event: KimiEvent): void }): MachineSettings {
  expectObject('options', options);
  const {
    onEvent,
    model,
    tools,
    toolChoice,
    promptOpensThink,
    recoverTextCalls,
    guidedJson,
    limits,
    takenToolCallIds,
  } = options;
  expectOption(typeof onEvent === 'function', 'onEvent', 'a function', onEvent);
  const grammar: unknown = typeof model === 'object' ? model?.grammar : undefined;
  expectOption(
    model === undefined || typeof model === 'string' || grammar === 'k2' || grammar === 'k3',
    'model',
    'a model id, family or profile',
    model,
  );
  const choices: unknown[] = [undefined, 'auto', 'none', 'required'];
  const named: unknown = typeof toolChoice === 'object' ? toolChoice?.name : undefined;
  expectOption(
    choices.includes(toolChoice) || (typeof named === 'string' && named !== ''),
    'toolChoice',
    "'auto', 'none', 'required' or { name }",
    toolChoice,
  );
  const modes: unknown[] = [undefined, 'off', 'default', 'lenient'];
  expectOption(
    modes.includes(recoverTextCalls),
    'recoverTextCalls',
    "'off', 'default' or 'lenient'",
    recoverTextCalls,
  );
  for (const [name, flag] of Object.entries({ promptOpensThink, guidedJson }))
    expectOption(flag === undefined || typeof flag === 'boolean', name, 'a boolean', flag);
  expectOption(
    takenToolCallIds === undefined ||
      (Array.isArray(takenToolCallIds) && takenToolCallIds.every((id) => typeof id === 'string')),
    'takenToolCallIds',
    'an array of ids',
    takenToolCallIds,
  );
  if (limits !== undefined) expectObject('limits', limits);
  for (const name of ['maxArgumentsLength', 'maxToolCalls'] as const) {
    expectOption(isCount(limits?.[name]), `limits.${name}`, 'a whole number above 0', limits?.[name]);
  }
  const toolBox: ToolBox = createToolBox(tools);
  const suppress = toolChoice === 'none';
  return {
    tools: toolBox,
    suppress,
    promptOpensThink: promptOpensThink ?? false,
    recoverStripped: !suppress && recoverTextCalls !== 'off' && toolBox.known,
    recoverLenient: !suppress && recoverTextCalls === 'lenient' && toolBox.known,
    guidedJson: !suppress && guidedJson === true,
    takenToolCallIds: takenToolCallIds ?? [],
    limits: limits ?? {},
    emit: onEvent,
  };
}

/**
 * Reads one reply of a Kimi K2 model, in any chunking, and reports what it holds as events.
 *
 * Synchronous: events come out of `feed` and `end` through `onEvent`. Bad input never throws; it
 * becomes `problem` events. The rules are the project's rulings (`cases/README.md` of `@kimi-tc/testing`).
 *
 * `onEvent` must not call the parser: one reply, one caller. What it throws comes out of the call that reports; the rest
 * of that delta is lost then, and `reset` begins anew.
 *
 * @throws KimiError naming the option that is wrong
 */
export function createParser(options: ParserOptions & { onEvent(event: KimiEvent): void }): KimiParser {
  return createParserOf(checkOptions(options));
}

/** A parser by settings that were checked. */
export function createParserOf(settings: MachineSettings): KimiParser {
  let machine = createK2Machine(settings);
  let ended = false;
  /** Events are being reported. */
  let running = false;
  function expectOutside(method: string): void {
    if (running) throw new KimiError(method, `${method}: not to be called from onEvent`);
  }
  function inside(run: () => void): void {
    running = true;
    try {
      run();
    } finally {
      running = false;
    }
  }
  function expectOpen(method: string): void {
    expectOutside(method);
    if (ended) throw new KimiError(method, `${method}: the turn has ended; call reset() before the next one`);
  }
  return {
    feed(delta, channel = 'content') {
      expectOption(typeof delta === 'string', 'delta', 'a string', delta);
      expectOption(
        channel === 'content' || channel === 'reasoning',
        'channel',
        "'content' or 'reasoning'",
        channel,
      );
      expectOpen('feed');
      // As `inside`, without a function made for each delta.
      running = true;
      try {
        machine.feed(delta, channel);
      } finally {
        running = false;
      }
    },
    feedToolCall(piece) {
      expectObject('piece', piece);
      expectOpen('feedToolCall');
      inside(() => machine.feedToolCall(piece));
    },
    end(finishReason) {
      expectOption(
        finishReason === undefined || finishReason === null || typeof finishReason === 'string',
        'finishReason',
        'a string',
        finishReason,
      );
      expectOutside('end');
      if (ended) return;
      ended = true;
      inside(() => machine.end(finishReason || undefined));
    },
    reset() {
      expectOutside('reset');
      machine = createK2Machine(settings);
      ended = false;
    },
  };
}
