import { isObject, textOf } from './json.ts';
import type { RequestLog } from './request-problems.ts';

/** The names under which tools are sent. */
export interface ToolNames {
  /** For each tool of the list the name it is sent under; `undefined`, or no entry, where its own stays. */
  aliases: readonly (string | undefined)[];
  /** From the caller's name to the sent one; only those that differ. */
  sent: ReadonlyMap<string, string>;
  /** From the sent name to the caller's. */
  own: ReadonlyMap<string, string>;
}

/** A letter or underscore, then letters, digits, `_` and `-` (MoonshotAI/kimi-cli#2164). */
const LEGAL = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Gives each tool whose name the endpoint would refuse, because of its characters, its length or
 * because another tool has it, an alias that no other tool has. Reported as `invalid-tool-name`.
 *
 * @param longest UTF-16 units of a name; `Infinity`: no name is refused
 */
export function nameTools(
  tools: readonly unknown[],
  longest: number,
  base: string,
  log: RequestLog,
): ToolNames {
  if (longest === Number.POSITIVE_INFINITY) return { aliases: [], sent: new Map(), own: new Map() };
  const names = tools.map(nameOf);
  const isLegal = (name: string) => LEGAL.test(name) && name.length <= longest;
  const taken = new Set(names.filter((name) => name !== undefined && isLegal(name)));
  const first = new Set<string>();
  const sent = new Map<string, string>();
  const own = new Map<string, string>();
  const aliases = names.map((name, index) => {
    if (name === undefined) return undefined;
    const repeated = first.has(name);
    first.add(name);
    if (isLegal(name) && !repeated) return undefined;
    const alias = toAlias(name, longest, taken);
    taken.add(alias);
    own.set(alias, name);
    if (!repeated) sent.set(name, alias);
    log.report(
      'invalid-tool-name',
      `${base}/${index}/function/name`,
      repeated ? `Another tool has this name; sent as ${alias}.` : `Not a legal name; sent as ${alias}.`,
    );
    return alias;
  });
  return { aliases, sent, own };
}

/** Hosted tools of a provider have names of their own kind, such as `$web_search`. */
function nameOf(tool: unknown): string | undefined {
  if (!isObject(tool) || !isObject(tool.function) || (tool.type ?? 'function') !== 'function')
    return undefined;
  return textOf(tool.function.name) || undefined;
}

function toAlias(name: string, longest: number, taken: ReadonlySet<string | undefined>): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  let alias = legal.slice(0, longest);
  for (let number = 2; taken.has(alias); number++) {
    const tail = `_${number}`;
    alias = legal.slice(0, longest - tail.length) + tail;
  }
  return alias;
}
