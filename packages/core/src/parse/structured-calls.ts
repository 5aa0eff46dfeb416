import type { ToolBox } from '../grammar/tools.ts';
import { type ArgumentReader, createArgumentReader } from './arguments.ts';
import type { Call, CallLog } from './tool-calls.ts';

/** A piece of a call that the server parsed itself: one entry of a `tool_calls` list. */
export interface ToolCallPiece {
  /** Groups the pieces of one call. Absent: a new `id` begins a call, no `id` goes on with the last one. */
  index?: number | undefined;
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
  args: ArgumentReader;
  /** Something stands behind the complete arguments. */
  junk: boolean;
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
  const byIndex = new Map<number, Entry>();

  function entryOf(index: unknown, id: string): Entry {
    const numbered = typeof index === 'number' ? byIndex.get(index) : undefined;
    if (numbered) return numbered;
    if (typeof index !== 'number') {
      const known = id === '' ? entries.at(-1) : entries.find((entry) => entry.id === id);
      if (known) return known;
    }
    onOpen();
    const entry: Entry = {
      index: typeof index === 'number' ? index : undefined,
      id,
      name: '',
      call: undefined,
      args: createArgumentReader({
        onDelta: (delta) => entry.call?.delta(delta),
        markup: true,
        maxLength: maxArgumentsLength,
      }),
      junk: false,
    };
    entries.push(entry);
    if (typeof index === 'number') byIndex.set(index, entry);
    return entry;
  }

  function start(entry: Entry): void {
    if (entry.call) return;
    const name = entry.name.trim();
    entry.call = calls.openStructured(
      name === ''
        ? { kind: 'anonymous', counter: undefined, inferable: true, unwrappable: false }
        : { kind: 'named', name, counter: undefined, offered: tools.has(name) },
      entry.id,
      offset(),
    );
  }

  /** Calls start in the order they appeared, once their names are known. */
  function startUpTo(entry: Entry): void {
    for (const earlier of entries) {
      if (earlier.name !== '' || earlier === entry) start(earlier);
      if (earlier === entry) return;
    }
  }

  function takeArguments(entry: Entry, text: string): void {
    if (text === '') return;
    if (entry.name !== '') startUpTo(entry);
    if (entry.args.done) {
      entry.junk ||= text.trim() !== '';
      return;
    }
    const taken = entry.args.takeText(text);
    if (typeof taken === 'object' && 'behind' in taken) entry.junk ||= taken.behind.trim() !== '';
  }

  return {
    feed({ index, id, name, arguments: args }) {
      const entry = entryOf(index, typeof id === 'string' ? id : '');
      if (entry.id === '' && typeof id === 'string') entry.id = id;
      // A name that comes when the call has started is too late to be told to anyone.
      if (typeof name === 'string' && name !== entry.name && !entry.call) entry.name += name;
      if (args !== undefined && args !== null)
        takeArguments(entry, typeof args === 'string' ? args : toJson(args));
    },
    end(finishReason) {
      const mayBeCut = finishReason === undefined || finishReason === 'length';
      let open = false;
      for (const entry of entries) {
        const read = entry.args.finish();
        const cut =
          read.state === 'part' ? mayBeCut || !entry.args.broken : read.state === 'empty' && mayBeCut;
        open ||= cut;
        start(entry);
        entry.call?.finish({ ...read, repaired: read.repaired || entry.junk }, cut ? 'cut' : 'closed');
      }
      return open;
    },
  };
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return String(value); // too deep to be written; will be reported as invalid
  }
}
