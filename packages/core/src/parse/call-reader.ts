import type { ToolBox } from '../grammar/tools.ts';
import { type ArgumentReader, createArgumentReader } from './arguments.ts';
import { createLastWord } from './last-word.ts';
import { type Lexeme, tailOf } from './lexer.ts';
import type { Call, Ended } from './tool-calls.ts';

/** A call is over: what to read again behind it, and the header of the next call where it is known already. */
export interface Left {
  again: readonly Lexeme[];
  next?: { header: string; offset: number };
}

/** Reads one call from its arguments to its end. */
export interface CallReader {
  /** Nothing: the call goes on. */
  take(lexeme: Lexeme): Left | undefined;
  /** The common case of `take`: text in the middle of a string. False, and nothing done, for any other. */
  takePlain(text: string): boolean;
  /** The stream is over. `cut`: the call was not complete. */
  end(): Left & { cut: boolean };
  readonly args: ArgumentReader;
}

export interface CallReaderOptions {
  call: Call;
  tools: ToolBox;
  /** How the call ends: at a marker, or with its JSON (token-stripped calls). */
  endsBy: 'markup' | 'json';
  inSection: boolean;
  /** Token-stripped calls are read. */
  recoverStripped: boolean;
  maxArgumentsLength: number | undefined;
}

export function createCallReader(options: CallReaderOptions): CallReader {
  const { call, tools, endsBy, inSection, recoverStripped } = options;
  const args = createArgumentReader({
    onDelta: call.delta,
    markup: endsBy === 'markup',
    maxLength: options.maxArgumentsLength,
  });
  /** Text behind the complete value. A call without its begin marker may follow in it. */
  const behind = createLastWord(
    (word) =>
      (inSection || (recoverStripped && isOfferedNativeId(word))) && tools.readHeader(word).kind === 'named',
  );

  /** The turn ended inside the JSON of a token-stripped call: cut if nothing follows, broken if something does. */
  let turnEnded = false;

  function isOfferedNativeId(word: string): boolean {
    const name = /^functions\.(.+):\d+$/.exec(word)?.[1];
    return name !== undefined && tools.find(name) !== undefined;
  }

  function leave(
    ended: Ended,
    again: readonly Lexeme[],
    junk = behind.word() !== '' || behind.hasMore(),
  ): Left {
    const read = args.finish();
    call.finish({ ...read, repaired: read.repaired || junk }, ended);
    return { again };
  }

  function giveUp(again: readonly Lexeme[]): Left {
    call.giveUp('malformed-call', args.finish().text);
    return { again };
  }

  function take(lexeme: Lexeme): Left | undefined {
    if (lexeme.kind === 'cut-marker' || lexeme.kind === 'end-of-sequence') return undefined;
    if (args.isDone()) return lexeme.kind === 'text' ? takeBehind(lexeme) : atMarker(lexeme);
    if (turnEnded && lexeme.kind === 'text') {
      const visible = lexeme.text.search(/\S/);
      return visible < 0 ? undefined : giveUp([tailOf(lexeme, visible)]);
    }
    const taken = args.take(lexeme);
    if (taken === 'inside') return undefined;
    if (taken === 'marker') return atMarker(lexeme);
    if ('again' in taken) return leave('closed', taken.again);
    const rest = tailOf(lexeme, lexeme.text.length - taken.behind.length);
    const again = rest.text === '' ? [] : [rest];
    if (endsBy === 'markup') return rest.text === '' ? undefined : takeBehind(rest);
    if (!args.isWhole()) return giveUp(again);
    call.report('text-call-recovered');
    return leave('closed', again);
  }

  /** Text behind the complete value: dropped, unless the next call begins in it without its begin marker. */
  function takeBehind(lexeme: Lexeme): Left | undefined {
    const found = behind.take(lexeme.text);
    if (!found) return undefined;
    const { word } = found;
    const rest = tailOf(lexeme, found.brace);
    const id: Lexeme = { ...rest, text: word, offset: rest.offset - word.length };
    return leave('unclosed', [id, rest], behind.hasMore());
  }

  /** A marker outside of the strings of the arguments (ruling 20). */
  function atMarker(lexeme: Lexeme): Left | undefined {
    const { kind } = lexeme;
    if (endsBy === 'json') {
      turnEnded = kind === 'turn-end';
      return turnEnded ? undefined : giveUp([lexeme]);
    }
    if (kind === 'call-end') return leave('closed', []);
    if (kind === 'section-begin' || kind === 'section-end' || kind === 'call-begin')
      return leave('unclosed', [lexeme]);
    if (!args.isWhole()) {
      args.takeText(lexeme.text); // not JSON: from here on the arguments are kept raw
      return undefined;
    }
    if (kind === 'think-open' || kind === 'think-close') return leave('unclosed', [lexeme]);
    return kind === 'argument-begin' ? nextCall(lexeme) : undefined; // a turn end says nothing here
  }

  /** An argument marker behind a complete value: the next call, if an id stands in front of it (ruling 15). */
  function nextCall({ offset }: Lexeme): Left | undefined {
    const header = behind.word();
    const read = tools.readHeader(header);
    const isId = read.kind === 'named' && (inSection || read.offered || header.startsWith('functions.'));
    if (!isId) return undefined;
    const next = { header, offset: offset - behind.reach() };
    return { ...leave('unclosed', [], behind.hasMore()), next };
  }

  return {
    take,
    takePlain: args.takePlain,
    args,
    end() {
      const taken = args.takeEnd();
      if (typeof taken === 'object' && 'again' in taken)
        return { ...leave('closed', taken.again), cut: false };
      const cut = !args.isWhole();
      return { ...leave('cut', []), cut };
    },
  };
}
