import type { ToolBox } from '../grammar/tools.ts';
import { createJsonScanner } from './json-scanner.ts';
import type { Lexeme } from './lexer.ts';

/**
 * Checks whether what stands in an open quote, from a section begin or call begin to the end of the
 * stream, is nothing but well-formed calls (ruling 7, second exception). Nothing of it may show or run
 * before that is clear.
 */
export interface QuotedCallTrial {
  /** Holds the lexeme; false, and it is not held, if it does not fit. */
  take(lexeme: Lexeme): boolean;
  /** What was taken so far, to be read again as what it turned out to be. */
  readonly held: readonly Lexeme[];
  /** The stream is over. `cut`: it ended inside a call. */
  end(): 'calls' | 'cut' | 'text';
}

export function createQuotedCallTrial(tools: ToolBox): QuotedCallTrial {
  let state: 'between' | 'header' | 'arguments' = 'between';
  /** Complete calls; `inSection` counts since the section began and is -1 outside of one. */
  let calls = 0;
  let inSection = -1;
  let header = '';
  /** The end of the header as far as it tells about inner white space. */
  let headerEdge = '';
  let json = createJsonScanner();
  let root = '';
  const held: Lexeme[] = [];

  function between({ kind, text }: Lexeme): boolean {
    if (kind === 'text') return text.trim() === '';
    if (kind === 'section-begin') {
      const fits = inSection !== 0;
      inSection = 0;
      return fits;
    }
    if (kind === 'section-end') {
      const fits = inSection > 0;
      inSection = -1;
      return fits;
    }
    if (kind === 'call-begin') {
      header = headerEdge = root = '';
      json = createJsonScanner();
      state = 'header';
      return true;
    }
    return kind === 'think-close' || kind === 'turn-end';
  }

  function inHeader({ kind, text }: Lexeme): boolean {
    if (kind === 'text') {
      header += text;
      const edge = headerEdge + text;
      headerEdge = edge.trimEnd().slice(-1) + (edge.trimEnd() === edge ? '' : ' ');
      return !/[<>{}"`]|[^\s.:]\s+[^\s.:]/.test(edge);
    }
    state = 'arguments';
    const read = tools.readHeader(header);
    const namesTool =
      read.kind === 'named' && (tools.known ? read.offered : /^functions\..+:\d+$/s.test(header.trim()));
    return kind === 'argument-begin' && namesTool;
  }

  function inArguments({ kind, text }: Lexeme): boolean {
    if (kind === 'call-end' && json.status() === 'complete') {
      calls++;
      if (inSection >= 0) inSection++;
      state = 'between';
      return true;
    }
    // A marker outside of strings breaks the JSON.
    if (root === '') root = text.trimStart().charAt(0);
    const end = json.read(text, 0);
    return '{'.startsWith(root) && json.status() !== 'broken' && text.slice(end).trim() === '';
  }

  return {
    take(lexeme) {
      const atEnd = lexeme.kind === 'cut-marker' || lexeme.kind === 'end-of-sequence';
      const fits = atEnd || { between, header: inHeader, arguments: inArguments }[state](lexeme);
      if (fits) held.push(lexeme);
      return fits;
    },
    held,
    end() {
      if (state !== 'between') return 'cut';
      return calls > 0 && inSection !== 0 ? 'calls' : 'text';
    },
  };
}
