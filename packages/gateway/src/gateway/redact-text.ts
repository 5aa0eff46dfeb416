/** Words of the format and of JSON that mean something, wherever they stand. */
const GRAMMAR = [
  '<\\| ?[a-z_]+ ?\\|>',
  '</?think>',
  '\\[EOS\\]',
  // The header of a call: one word that may be an id.
  '(?<=<\\| ?tool_call_begin ?\\|>\\s*)[\\w.:()-]{1,100}',
  'functions[._][\\w.-]+(?::\\d+)?',
  '</?[a-z_]+(?: name="[\\w.-]+")?>',
  '\\\\+["/bfnrt]',
  '\\b(?:true|false|null)\\b',
];
/** Keys that wrap calls in plain JSON. */
const WRAPPERS = ['arguments', 'name', 'parameters'];

/** What makes a text unreadable and leaves its shape; the same length in UTF-16 units, unit for unit. */
export type Redact = (text: string) => string;

/**
 * Letters become `x` and digits `1`, but for what a parser of replies goes by: special tokens, ids of calls,
 * names of tools, known keys of arguments, and the syntax of JSON. So a redacted reply is read as the one it
 * comes from, wherever it is cut.
 *
 * @param tools names of the offered tools
 * @param keys names of their parameters
 */
export function createRedaction(tools: readonly string[], keys: readonly string[]): Redact {
  const names = tools.length > 0 ? [`(?:functions[._]?)?(?:${toChoice(tools)})(?:[:._]?\\d+)?`] : [];
  const known = `(?<=")(?:${toChoice([...keys, ...WRAPPERS])})(?=\\\\*"\\s*:)`;
  const pattern = new RegExp(
    `(?<kept>${[...GRAMMAR, ...names, known].join('|')})|(?<escaped>\\\\+u[0-9a-fA-F]{4})|(?<number>\\d+[eE][+-]?\\d+)|[\\p{L}\\p{M}\\p{N}]+`,
    'gu',
  );
  return (text) =>
    text.replace(pattern, (found, ...rest) => {
      const { kept, escaped, number } = rest.at(-1) as Record<string, string | undefined>;
      if (kept !== undefined) return kept;
      if (escaped !== undefined) return `${escaped.slice(0, -4)}0078`;
      if (number !== undefined) return number.replace(/\d/g, '1');
      return found.replace(/./gsu, (one) => (/\p{N}/u.test(one) ? '1' : 'x').repeat(one.length));
    });
}

function toChoice(words: readonly string[]): string {
  return [...new Set(words)]
    .sort((one, other) => other.length - one.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
}
