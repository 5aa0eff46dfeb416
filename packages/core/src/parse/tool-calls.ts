import { formatToolCallId } from '../grammar/tool-call-id.ts';
import type { Header, ToolBox } from '../grammar/tools.ts';
import type { ReadArguments } from './arguments.ts';
import type { KimiEvent, ProblemCode } from './events.ts';
import { memberValues } from './json-members.ts';

/** What ended a call: its call end, something else in the text, or the end of the stream. */
export type Ended = 'closed' | 'unclosed' | 'cut';

type AnonymousHeader = Extract<Header, { kind: 'anonymous' }>;

/** One call, from its header on. */
export interface Call {
  readonly rawId: string;
  delta(piece: string): void;
  /** The arguments are over. */
  finish(args: ReadArguments, ended: Ended): void;
  giveUp(reason: ProblemCode, args?: string): void;
  report(code: ProblemCode): void;
}

export interface CallLog {
  /** A call begins whose header was read as `header`. */
  open(header: Header, rawId: string, offset: number): Call;
  /** A call without a header, found by its name (text forms). */
  openNamed(name: string, offset: number): Call;
  /** Counts of the turn so far. Suppressed calls are in none but their own. */
  readonly seen: Readonly<{ complete: number; incomplete: number; suppressed: number }>;
}

export interface CallLogOptions {
  tools: ToolBox;
  /** Tool choice `none`: calls are read and dropped. */
  suppress: boolean;
  maxToolCalls?: number | undefined;
  emit(event: KimiEvent): void;
  report(code: ProblemCode, offset: number, index?: number): void;
  /** A call, complete or cut, has been opened. */
  onOpen(): void;
}

/** Gives out ids that are unique in the turn: a repeated one takes the next free number for its name. */
function createIdGiver(): (name: string, counter: string) => string {
  /** For each id given: the next number worth trying. */
  const next = new Map<string, bigint>();
  return (name, counter) => {
    let id = formatToolCallId(name, counter);
    const passed: string[] = [];
    for (let following = next.get(id); following !== undefined; following = next.get(id)) {
      passed.push(id);
      id = formatToolCallId(name, following);
    }
    const free = BigInt(id.slice(id.lastIndexOf(':') + 1)) + 1n;
    for (const taken of [id, ...passed]) next.set(taken, free);
    return id;
  };
}

/** The calls of one turn: names, ids, positions, and the events about them. */
export function createCallLog({
  tools,
  suppress,
  maxToolCalls = Infinity,
  emit,
  report,
  onOpen,
}: CallLogOptions): CallLog {
  const seen = { complete: 0, incomplete: 0, suppressed: 0 };
  const giveId = createIdGiver();
  let started = 0;

  function open(header: Header, rawId: string, offset: number): Call {
    onOpen();
    if (suppress) {
      if (seen.suppressed++ === 0) report('call-suppressed', offset);
      const nothing = () => {};
      return { rawId, delta: nothing, finish: nothing, giveUp: nothing, report: nothing };
    }
    /** Position among the started calls; -1 before the call started. */
    let index = -1;
    let id = '';
    let name = header.kind === 'named' ? header.name : bestName(rawId);
    const refused = started >= maxToolCalls;
    const about = (code: ProblemCode) => report(code, offset, index < 0 ? undefined : index);

    function start(tool: string, counter: string | undefined): void {
      name = tool;
      index = started++;
      id = giveId(name, counter ?? String(seen.complete));
      emit({ type: 'tool-call-start', index, id, name, rawId });
      if (rawId !== '' && id !== rawId) about('id-rewritten');
    }

    function giveUp(reason: ProblemCode, args = ''): void {
      seen.incomplete++;
      about(reason);
      emit({ type: 'tool-call-error', index, id, name, arguments: args, reason });
    }

    /** Finds the tool of a call without a name; returns its arguments, or nothing if no tool can be told. */
    function attribute(
      text: string,
      { counter, inferable, unwrappable }: AnonymousHeader,
    ): string | undefined {
      if (!tools.known || !inferable) return undefined;
      const wrapped = unwrappable ? unwrap(text, tools) : undefined;
      const tool = wrapped?.name ?? tools.infer(JSON.parse(text));
      if (tool === undefined) return undefined;
      start(tool, counter);
      about('tool-name-inferred');
      if (rawId === '') about('id-rewritten');
      return wrapped?.arguments ?? text;
    }

    /** Why the call must not run; nothing if it may. */
    function failure({ state, over }: ReadArguments, ended: Ended): ProblemCode | undefined {
      if (header.kind === 'malformed') return 'malformed-call';
      if (over || refused) return 'limit-exceeded';
      const cut = state === 'empty' ? ended === 'cut' : state === 'part' && ended !== 'closed';
      return cut ? 'truncated-call' : undefined;
    }

    function finish(args: ReadArguments, ended: Ended): void {
      const failed = failure(args, ended);
      const empty = args.state === 'empty';
      const isObject = empty || args.isObject;
      let text: string | undefined = empty ? '{}' : args.text;
      if (!failed && header.kind === 'anonymous') text = isObject ? attribute(text, header) : undefined;
      if (failed || text === undefined) {
        giveUp(failed ?? 'unresolved-tool', args.text);
        return;
      }
      // Arguments of a call without a name could not leave before.
      if (empty || header.kind === 'anonymous') emit({ type: 'tool-call-delta', index, delta: text });
      if (args.repaired) about('arguments-repaired');
      if (!isObject) about('invalid-arguments');
      if (ended !== 'closed') about('unclosed-call');
      seen.complete++;
      emit({ type: 'tool-call-end', index, id, name, arguments: text });
    }

    if (header.kind === 'named' && !refused) {
      start(header.name, header.counter);
      if (tools.known && !header.offered) about('unknown-tool');
    }
    return {
      rawId,
      delta: (piece) => {
        if (header.kind === 'named' && !refused) emit({ type: 'tool-call-delta', index, delta: piece });
      },
      finish,
      giveUp,
      report: about,
    };
  }

  return {
    open,
    openNamed: (name, offset) => open({ kind: 'named', name, counter: undefined, offered: true }, '', offset),
    seen,
  };
}

/** The name in a header that cannot be read as an id, as far as it can be told. */
function bestName(header: string): string {
  return /^\s*(?:functions[._]?)?([^\s<>{}"`:]*)/.exec(header)?.[1] ?? '';
}

/** `{"name": …, "arguments" | "parameters": {…}}` and nothing else, naming an offered tool. */
export function unwrap(text: string, tools: ToolBox): { name: string; arguments: string } | undefined {
  const members = memberValues(text);
  const args = members.get('arguments') ?? members.get('parameters');
  const name = members.get('name');
  if (members.size !== 2 || args === undefined || !args.startsWith('{') || !name?.startsWith('"'))
    return undefined;
  const tool = tools.find(JSON.parse(name));
  return tool === undefined ? undefined : { name: tool, arguments: args };
}
