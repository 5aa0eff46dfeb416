import type { ToolBox } from '../grammar/tools.ts';
import { splitTopLevel } from './json-members.ts';
import { createJsonScanner } from './json-scanner.ts';
import type { Lexeme } from './lexer.ts';
import { createTextBuilder } from './text-builder.ts';
import type { TextCall } from './text-calls.ts';
import { unwrap } from './unwrap.ts';

/** Checks whether the content as a whole is a list of calls, or one, as guided decoding writes it (ruling 33). */
export interface GuidedTrial {
  /** Holds the lexeme; false, and it is not held, if it does not fit. */
  take(lexeme: Lexeme): boolean;
  /** What was taken so far, to be read again if it is not a list of calls. */
  readonly held: readonly Lexeme[];
  /** The stream is over: the calls, all of them or none. */
  end(): TextCall[] | undefined;
}

export function createGuidedTrial(tools: ToolBox): GuidedTrial {
  const held: Lexeme[] = [];
  const json = createJsonScanner();
  const kept = createTextBuilder();

  function fits({ kind, channel, text }: Lexeme): boolean {
    if (channel !== 'content') return false;
    if (kind !== 'text' && !json.inPlainString()) return json.status() === 'complete';
    // White space in front of the value, also of kinds that JSON does not know.
    const start = kept.length() === 0 ? text.length - text.trimStart().length : 0;
    const end = json.read(text, start);
    kept.push(text);
    return json.status() !== 'broken' && text.slice(end).trim() === '';
  }

  return {
    take(lexeme) {
      const taken = fits(lexeme);
      if (taken) held.push(lexeme);
      return taken;
    },
    held,
    end() {
      if (json.status() !== 'complete' || json.healed()) return undefined;
      const text = kept.toString().trim();
      const items = text.startsWith('[') ? splitTopLevel(text) : [text];
      const calls = items.map((item) => (item.startsWith('{') ? unwrap(item, tools) : undefined));
      return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
    },
  };
}
