import type { ProblemCode } from '../grammar/problems.ts';
import type { Header, ToolBox } from '../grammar/tools.ts';
import type { ReadArguments } from './arguments.ts';
import type { KimiEvent } from './events.ts';
import { createIdGiver } from './id-giver.ts';
import { splitTopLevel } from './json-members.ts';
import type { TextCall } from './text-calls.ts';
import { unwrap } from './unwrap.ts';

/** What ended a call: its call end, something else in the text, or the end of the stream. */
export type Ended = 'closed' | 'unclosed' | 'cut';

type AnonymousHeader = Extract<Header, { kind: 'anonymous' }>;

/** One call, from its header on. */
export interface Call {
  delta(piece: string): void;
  /** The arguments are over. */
  finish(args: ReadArguments, ended: Ended): void;
  giveUp(reason: ProblemCode, args?: string): void;
  report(code: ProblemCode): void;
}

export interface CallLog {
  /** A call begins in the text, whose header was read as `header`. */
  open(header: Header, rawId: string, offset: number): Call;
  /** A call without a header, found by its name (text forms). */
  openNamed(name: string, offset: number): Call;
  /** A call that the server parsed itself; its id is kept. */
  openStructured(header: Header, id: string, offset: number): Call;
  /** All calls are finished: decides those that waited for a possible twin. */
  settle(): void;
  /** Counts of the turn so far. Suppressed calls are in none but their own. */
  readonly seen: Readonly<{ complete: number; incomplete: number; suppressed: number }>;
}

export interface CallLogOptions {
  tools: ToolBox;
  /** Tool choice `none`: calls are read and dropped. */
  suppress: boolean;
  /** Ids of earlier calls of the conversation. */
  takenToolCallIds: readonly string[];
  maxToolCalls?: number | undefined;
  emit(event: KimiEvent): void;
  report(code: ProblemCode, offset: number, index?: number): void;
  /** A call, complete or cut, has been opened. */
  onOpen(): void;
}

const SUPPRESSED: Call = { delta() {}, finish() {}, giveUp() {}, report() {} };

/** The calls of one turn: names, ids, positions, twins, and the events about them. */
export function createCallLog(options: CallLogOptions): CallLog {
  const { tools, suppress, takenToolCallIds, maxToolCalls = Infinity, emit, report, onOpen } = options;
  const seen = { complete: 0, incomplete: 0, suppressed: 0 };
  const ids = createIdGiver(takenToolCallIds);
  const twins = createTwins((name) => tools.find(name) ?? name);
  let started = 0;
  /** Calls of the text that wait for the end of the structured calls, as one may be their twin. */
  const waiting: (() => void)[] = [];

  function open(header: Header, rawId: string, offset: number, source: Source): Call {
    onOpen();
    if (suppress) {
      if (seen.suppressed++ === 0) report('call-suppressed', offset);
      return SUPPRESSED;
    }
    /** Position among the started calls; -1 before the call started. */
    let index = -1;
    let id = '';
    let name = header.kind === 'named' ? header.name : bestName(rawId);
    const refused = started >= maxToolCalls;
    const about = (code: ProblemCode) => report(code, offset, index < 0 ? undefined : index);

    function start(tool: string): void {
      name = tool;
      index = started++;
      const counter = header.kind === 'malformed' ? undefined : header.counter;
      id =
        source === 'structure' && rawId !== '' && ids.claim(rawId)
          ? rawId
          : ids.give(name, counter ?? String(seen.complete));
      emit({ type: 'tool-call-start', index, id, name, rawId });
      const hadNone = rawId === '' && (source === 'structure' || header.kind === 'named');
      if (id !== rawId && !hadNone) about('id-rewritten');
      if (header.kind === 'anonymous') about('tool-name-inferred');
      else if (tools.known && header.kind === 'named' && !header.offered) about('unknown-tool');
    }

    function giveUp(reason: ProblemCode, args = ''): void {
      seen.incomplete++;
      about(reason);
      emit({ type: 'tool-call-error', index, id, name, arguments: args, reason });
    }

    /** Why the call must not run; nothing if it may. */
    function failure({ state, over }: ReadArguments, ended: Ended): ProblemCode | undefined {
      if (header.kind === 'malformed') return 'malformed-call';
      if (over || refused) return 'limit-exceeded';
      const cut = state === 'empty' ? ended === 'cut' : state === 'part' && ended !== 'closed';
      return cut ? 'truncated-call' : undefined;
    }

    /** A twin may come from the other source, or a call in front waits for one. */
    const mustWait = () => twins.mayCome(source, name) || (source === 'text' && waiting.length > 0);

    function finish(args: ReadArguments, ended: Ended): void {
      const empty = args.state === 'empty';
      const isObject = empty || args.isObject;
      const failed = failure(args, ended);
      const read = { name, arguments: empty ? '{}' : args.text, repaired: args.repaired };
      const found = !failed && header.kind === 'anonymous' ? attribute(isObject, read, header, tools) : read;
      if (failed || !found) {
        giveUp(failed ?? 'unresolved-tool', args.text);
        return;
      }
      name = found.name;
      const { arguments: text, repaired } = found;
      function deliver(): void {
        if (index < 0 && twins.take(source, name, text, isObject)) {
          report('duplicate-call', offset);
          return;
        }
        const late = index < 0;
        if (late && started >= maxToolCalls) {
          giveUp('limit-exceeded', text);
          return;
        }
        if (late) start(name);
        // What could not leave before leaves now.
        if (late || empty) emit({ type: 'tool-call-delta', index, delta: text });
        if (repaired) about('arguments-repaired');
        if (!isObject) about('invalid-arguments');
        if (ended !== 'closed') about('unclosed-call');
        seen.complete++;
        twins.add(source, name, text, isObject);
        emit({ type: 'tool-call-end', index, id, name, arguments: text });
      }
      if (index < 0 && source === 'text' && mustWait()) waiting.push(deliver);
      else deliver();
    }

    if (header.kind === 'named') {
      // A call that may be the twin of one from the other source starts when that is decided.
      if (!refused && !mustWait()) start(name);
      twins.expect(source, name);
    }
    return {
      delta: (piece) => {
        if (index >= 0) emit({ type: 'tool-call-delta', index, delta: piece });
      },
      finish,
      giveUp,
      report: about,
    };
  }

  return {
    open: (header, rawId, offset) => open(header, rawId, offset, 'text'),
    openNamed: (name, offset) =>
      open({ kind: 'named', name, counter: undefined, offered: true }, '', offset, 'text'),
    openStructured: (header, id, offset) => open(header, id, offset, 'structure'),
    settle() {
      for (const deliver of waiting.splice(0)) deliver();
    },
    seen,
  };
}

/** Where a call came from: marked up in the text, or parsed by the server. */
type Source = 'text' | 'structure';

/** The same call as text and as structure counts once (ruling 42): same name, equal arguments. */
function createTwins(nameOf: (name: string) => string) {
  /** Names of the calls opened so far. */
  const names = { text: new Set<string>(), structure: new Set<string>() };
  /** Calls that were delivered and have no twin yet; by key once one was asked for. */
  const delivered: Record<Source, { name: string; args: string; isObject: boolean }[]> = {
    text: [],
    structure: [],
  };
  const counts: Record<Source, Map<string, number>> = { text: new Map(), structure: new Map() };
  const other = (source: Source) => (source === 'text' ? 'structure' : 'text');
  /** Arguments that are no JSON have nothing to be compared by but their text. */
  const keyOf = (name: string, args: string, isObject: boolean) =>
    `${nameOf(name)} ${isObject ? normalJson(args) : args}`;
  return {
    expect: (source: Source, name: string) => names[source].add(nameOf(name)),
    /** A call of that name was opened by the other source. */
    mayCome: (source: Source, name: string) => names[other(source)].has(nameOf(name)),
    add: (source: Source, name: string, args: string, isObject: boolean) =>
      delivered[source].push({ name, args, isObject }),
    /** Takes the twin from the other source, so that it stands for one call only. */
    take(source: Source, name: string, args: string, isObject: boolean): boolean {
      if (!names[other(source)].has(nameOf(name))) return false;
      const count = counts[other(source)];
      for (const call of delivered[other(source)].splice(0)) {
        const key = keyOf(call.name, call.args, call.isObject);
        count.set(key, (count.get(key) ?? 0) + 1);
      }
      const key = keyOf(name, args, isObject);
      const twins = count.get(key) ?? 0;
      count.set(key, Math.max(0, twins - 1));
      return twins > 0;
    },
  };
}

/** Deeper than this, values are compared as they are written. */
const DEEPEST_COMPARED = 16;

/** Equal JSON, equal text: without white space, members sorted, numbers as written. */
function normalJson(text: string, depth = 0): string {
  const json = text.trim();
  const isObject = json.startsWith('{');
  if (depth > DEEPEST_COMPARED || (!isObject && !json.startsWith('['))) return json;
  const parts = splitTopLevel(json).map((part) => normalJson(part, depth + 1));
  if (!isObject) return `[${parts}]`;
  const members = parts.flatMap((part, i) => (i % 2 === 0 ? [`${part}:${parts[i + 1]}`] : []));
  return `{${members.sort()}}`;
}

/** The name in a header that cannot be read as an id, as far as it can be told. */
function bestName(header: string): string {
  return /^\s*(?:functions[._]?)?([^\s<>{}"`:]*)/.exec(header)?.[1] ?? '';
}

/** The tool of a call without a name, with its arguments; nothing if none can be told (ruling 26). */
function attribute(
  isObject: boolean,
  read: TextCall,
  { inferable, unwrappable }: AnonymousHeader,
  tools: ToolBox,
): TextCall | undefined {
  if (!tools.known || !isObject || !inferable) return undefined;
  const wrapped = unwrappable ? unwrap(read.arguments, tools) : undefined;
  if (wrapped) return { ...wrapped, repaired: wrapped.repaired || read.repaired };
  const name = tools.infer(JSON.parse(read.arguments));
  return name === undefined ? undefined : { ...read, name };
}
