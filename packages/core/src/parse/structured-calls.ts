import type { Header, ToolBox } from '../grammar/tools.ts';
import { toJson } from '../to-json.ts';
import { type ArgumentReader, createArgumentReader } from './arguments.ts';
import { CUT_ARGUMENTS_SEAL, sealLengthOf } from './cut-arguments-seal.ts';
import type { Call, CallLog } from './tool-calls.ts';

/** A piece of a call that the server parsed itself: one entry of a `tool_calls` list. */
export interface ToolCallPiece {
  /**
   * Groups the pieces of one call, save that a new `id` and a name behind complete arguments begin the next one.
   * Absent: a new `id` begins a call, no `id` goes on with the last one.
   */
  index?: number | undefined;
  /** The server's own; the first one of a call is kept as it is. */
  id?: string | null | undefined;
  /** A piece of the name; the name so far again is a repetition. */
  name?: string | null | undefined;
  /** A piece of the JSON text, or the whole arguments as an object. */
  arguments?: unknown;
}

export interface StructuredCalls {
  feed(piece: ToolCallPiece): void;
  /** The stream is over. Returns whether a call was still open, as far as that can be told. */
  end(finishReason: string | undefined): boolean;
}

interface Entry {
  index: number | undefined;
  id: string;
  name: string;
  call: Call | undefined;
  /** Deltas of a call that has not started. */
  waiting: string[];
  args: ArgumentReader;
  /** Something stands behind the complete arguments. */
  junk: boolean;
  /** The end of what came, where that is a seal or may become one. */
  held: string;
  /** The call that its index was given to before: with the same name and no arguments it is that one repeated. */
  before: Entry | undefined;
}

export interface StructuredCallsOptions {
  tools: ToolBox;
  calls: CallLog;
  maxArgumentsLength: number | undefined;
  /** UTF-16 units of text fed so far. */
  offset(): number;
  /** The first piece of a call came. */
  onOpen(): void;
}

/** Calls that the server parsed itself, put together by index (rulings 39 to 41). They end with the stream. */
export function createStructuredCalls(options: StructuredCallsOptions): StructuredCalls {
  const { tools, calls, maxArgumentsLength, offset, onOpen } = options;
  const entries: Entry[] = [];
  const byIndex = new Map<unknown, Entry>();
  /** Calls that began without an index. */
  const unplaced: Entry[] = [];
  const byId = new Map<string, Entry>();
  /** The entries in front of this one have started. */
  let ready = 0;

  /** The call that a piece goes on with; `undefined`: it begins one. */
  function known(index: number | undefined, id: string, name: string): Entry | undefined {
    const ofId = byId.get(id);
    const last = entries.at(-1);
    if (typeof index !== 'number')
      return id === '' || (name === '' && !ofId && !last?.args.isDone()) ? goesOn(last, name) : ofId;
    // Some servers count all calls as the first (vercel/ai#14277), others give each piece an id of its own.
    // An index that comes late, with a piece that begins nothing, is that of the first call that needs one.
    while (unplaced[0] && !needsIndex(unplaced[0])) unplaced.shift();
    const ofIndex =
      byIndex.get(index) ??
      (ofId ? [ofId] : unplaced).find((one) => needsIndex(one) && one.name.startsWith(name));
    if (ofIndex) {
      ofIndex.index = index;
      byIndex.set(index, ofIndex);
    }
    if (id === '' || ofIndex?.id === '') return ofIndex;
    return ofId?.index === index ? ofId : goesOn(ofIndex, name);
  }

  /** A name begins a call where the last one has all it needs, or another name that is whole. */
  function goesOn(last: Entry | undefined, name: string): Entry | undefined {
    if (!last || name === '') return last;
    const isWhole = last.args.hasStarted() || (tools.has(last.name) && tools.has(name));
    return isWhole && (last.args.isDone() || name !== last.name) ? undefined : last;
  }

  /** Behind a call that is told and has all it needs, another name begins another, also under its id. */
  function isOver({ call, args, name: own }: Entry, name: string): boolean {
    return call !== undefined && args.isDone() && name.trim() !== '' && name.trim() !== own.trim();
  }

  function open(index: number | undefined, id: string): Entry {
    onOpen();
    const entry: Entry = {
      index,
      id,
      name: '',
      call: undefined,
      waiting: [],
      args: createArgumentReader({
        onDelta: (delta) => (entry.call ? entry.call.delta(delta) : entry.waiting.push(delta)),
        markup: true,
        maxLength: maxArgumentsLength,
      }),
      junk: false,
      held: '',
      before: byIndex.get(index),
    };
    entries.push(entry);
    if (typeof index === 'number') byIndex.set(index, entry);
    else unplaced.push(entry);
    return entry;
  }

  const needsIndex = ({ index, args }: Entry) => index === undefined && !args.isDone();

  const mayRepeat = ({ before, name }: Entry) => before?.name === name;

  function start(entry: Entry): void {
    if (entry.call) return;
    const name = entry.name.trim();
    const header: Header =
      name === ''
        ? { kind: 'anonymous', counter: undefined, inferable: true, unwrappable: false }
        : { kind: 'named', name, counter: undefined, offered: tools.has(name) };
    entry.call = calls.openStructured(header, entry.id, offset());
    for (const delta of entry.waiting.splice(0)) entry.call.delta(delta);
  }

  /**
   * Starts what can start, in the order of appearance. A name may go on until the arguments come; with
   * known tools until it is one of theirs.
   */
  function startReady(): void {
    for (; ready < entries.length; ready++) {
      const entry = entries[ready] as Entry;
      const isOffered = tools.find(entry.name.trim()) !== undefined;
      const named = tools.known ? isOffered : entry.name !== '';
      const isPassed =
        entries[ready + 1]?.args.hasStarted() &&
        isOffered &&
        !mayRepeat(entry) &&
        !tools.names.some((name) => name !== entry.name && name.startsWith(entry.name));
      if (!named || !(entry.args.hasStarted() || isPassed)) return;
      start(entry);
    }
  }

  function takeArguments(entry: Entry, given: string): void {
    const all = entry.held + given;
    const end = all.length - sealLengthOf(all);
    entry.held = all.slice(end);
    readArguments(entry, all.slice(0, end));
  }

  function readArguments(entry: Entry, text: string): void {
    if (entry.args.isDone()) {
      entry.junk ||= text.trim() !== '';
      return;
    }
    const taken = entry.args.takeText(text);
    if (typeof taken === 'object' && 'behind' in taken) entry.junk ||= taken.behind.trim() !== '';
  }

  return {
    feed({ index, id, name, arguments: args }) {
      const ownId = typeof id === 'string' ? id : '';
      const ownName = typeof name === 'string' ? name : '';
      const found = known(index, ownId, ownName);
      const entry = found && !isOver(found, ownName) ? found : open(index, ownId);
      entry.id ||= ownId;
      if (ownId !== '') byId.set(ownId, entry);
      // A name that comes when the call has started is too late to be told to anyone.
      if (ownName !== entry.name && !entry.call) entry.name += ownName;
      if (args !== undefined && args !== null)
        takeArguments(entry, typeof args === 'string' ? args : toJson(args));
      startReady();
    },
    end(finishReason) {
      const mayBeCut = finishReason === undefined || finishReason === 'length';
      let openAtEnd = false;
      for (const entry of entries) {
        // Whoever read the reply before has given the call up.
        const sealed = entry.held === CUT_ARGUMENTS_SEAL;
        if (!sealed) readArguments(entry, entry.held);
        const read = entry.args.finish();
        if (mayRepeat(entry) && read.state === 'empty') continue;
        if (sealed) read.state = 'part';
        const cut =
          read.state === 'part'
            ? sealed || mayBeCut || !entry.args.isBroken()
            : read.state === 'empty' && mayBeCut;
        openAtEnd ||= cut;
        start(entry);
        entry.call?.finish({ ...read, repaired: read.repaired || entry.junk }, cut ? 'cut' : 'closed');
      }
      return openAtEnd;
    },
  };
}
