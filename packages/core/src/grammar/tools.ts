import { expectObject, expectOption } from '../kimi-error.ts';
import { tidyToolCallId } from './tool-call-id.ts';

/** A tool as it stands in an OpenAI chat request. */
export interface ToolDefinition {
  /** Tells it from the tools that a provider runs. */
  type: 'function';
  /** What the model may call. */
  function: {
    /** Not empty. Which names an endpoint takes is the business of `normalizeRequest`. */
    name: string;
    description?: string | undefined;
    /** JSON Schema of the arguments. */
    parameters?: Record<string, unknown> | undefined;
  };
}

/** A tool that a provider runs itself, or of another kind; no model calls it by a function name. */
export interface HostedTool {
  /** The provider's own word, e.g. `web_search`. */
  type: string;
  /** Absent: it has no name that a model could call. */
  function?: undefined;
}

/** What a call's header says. */
export type Header =
  /** It names a tool. `counter` is absent where the model gave none. */
  | { kind: 'named'; name: string; counter: string | undefined; offered: boolean }
  /** It is an id without a usable name; the arguments may still tell. */
  | { kind: 'anonymous'; counter: string | undefined; inferable: boolean; unwrappable: boolean }
  /** It is not an id at all. */
  | { kind: 'malformed' };

/** The tools of one request, asked by name and by arguments. */
export interface ToolBox {
  /** False when the request's tools are unknown (none were given). */
  known: boolean;
  names: readonly string[];
  /** The tool is offered under exactly this name. */
  has(name: string): boolean;
  /** The offered tool that `name` means: itself, its longest offered tail behind a dot, or the only one equal when `-` and `_` are. */
  find(name: string): string | undefined;
  readHeader(raw: string): Header;
  /** The one offered tool that takes exactly such arguments: every key declared, all required ones there. */
  infer(args: Record<string, unknown>): string | undefined;
  /** The JSON Schema of one parameter, if it is declared. */
  parameter(tool: string, key: string): unknown;
}

/**
 * Ids that servers make up: `call_9f31`, `call00003`, `toolu_…`, a uuid or other long hexadecimal. Any
 * other text without a counter may be the name of a tool that was not offered, and a call of one tool
 * must never become a call of another.
 */
const OPAQUE_ID = /^(?:call|tool|toolu|tooluse|fc|chatcmpl|id)(?:[-_\d].*)?$|^(?=.*\d)[\da-f-]{12,}$/i;

type Schema = { properties?: Record<string, unknown> | null; required?: unknown };

/**
 * Checks and indexes the tools of a request. Entries that are not functions (hosted tools of a
 * provider) have no name a model could call, and are passed over.
 * @throws KimiError naming the entry that is not an object, or whose function has no name
 */
export function createToolBox(tools: readonly (ToolDefinition | HostedTool)[] | undefined): ToolBox {
  expectOption(tools === undefined || Array.isArray(tools), 'tools', 'an array of tools', tools);
  const schemas = new Map<string, Schema>();
  for (const [i, tool] of (tools ?? []).entries()) {
    expectObject(`tools[${i}]`, tool);
    const fn = tool.function;
    if (fn === undefined) continue;
    const name: unknown = fn?.name;
    expectOption(
      typeof name === 'string' && name !== '',
      `tools[${i}].function.name`,
      'a non-empty string',
      name,
    );
    schemas.set(fn.name, (fn.parameters ?? {}) as Schema);
  }
  const names = [...schemas.keys()];
  const longest = names.reduce((most, { length }) => Math.max(most, length), 0);
  /** Made when it is needed: most calls say a name as it was offered. */
  let byLooks: ReadonlyMap<string, string | null> | undefined;

  function find(name: string): string | undefined {
    if (schemas.has(name)) return name;
    // Only a tail that is no longer than some name can be one.
    for (let dot = name.indexOf('.', name.length - longest - 1); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const tail = name.slice(dot + 1);
      if (schemas.has(tail)) return tail;
    }
    if (name.length > longest) return undefined;
    byLooks ??= indexByLooks(names);
    return byLooks.get(alike(name)) ?? undefined;
  }

  function readHeader(raw: string): Header {
    const id = tidyToolCallId(raw);
    if (id === undefined) return { kind: 'malformed' };
    const body = id.startsWith('functions.') ? id.slice(10) : id;
    const named = (name: string, counter: string | undefined): Header => {
      const offered = find(name);
      return { kind: 'named', name: offered ?? name, counter, offered: offered !== undefined };
    };
    const anonymous = (counter: string | undefined): Header => ({
      kind: 'anonymous',
      counter,
      inferable: true,
      unwrappable: counter === undefined,
    });
    if (body === '') return anonymous(undefined);
    if (/^\d+$/.test(body)) return anonymous(body);
    const counted = /^(.*):(\d+)$/s.exec(body);
    if (counted?.[1] === '') return anonymous(counted[2]);
    if (counted?.[1] !== undefined && find(counted[1]) !== undefined) return named(counted[1], counted[2]);
    // Looser forms count only where they name a tool that was offered.
    const colon = body.lastIndexOf(':');
    const loose = [body, body.slice(0, Math.max(colon, 0))].find((name) => find(name) !== undefined);
    if (loose !== undefined) return named(loose, loose === body ? undefined : /:(\d+)\.\d+$/.exec(body)?.[1]);
    const joined = id.startsWith('functions') ? readJoined(id.slice('functions'.length)) : undefined;
    if (joined) return joined;
    if (counted) return named(counted[1] as string, counted[2]);
    const opaque = OPAQUE_ID.test(id);
    return { kind: 'anonymous', counter: undefined, inferable: opaque, unwrappable: opaque };
  }

  /** `_NAME_IDX`, `NAMEIDX`, `.NAMEIDX`, `(NAME):IDX` of an offered tool, the longest name first. */
  function readJoined(rest: string): Header | undefined {
    const longestFirst = [...names].sort((a, b) => b.length - a.length);
    for (const same of [(text: string) => text, alike]) {
      const readings = longestFirst.flatMap((name) => {
        const start = [name, `_${name}`, `.${name}`, `(${name})`].find((form) =>
          same(rest).startsWith(same(form)),
        );
        const counter = start && /^[_:]?(\d+)(?:\.\d+)?$/.exec(rest.slice(start.length))?.[1];
        return counter ? [{ name, counter }] : [];
      });
      const [first, second] = readings;
      if (first && second?.name.length !== first.name.length)
        return { kind: 'named', ...first, offered: true };
    }
    return undefined;
  }

  function infer(args: Record<string, unknown>): string | undefined {
    const keys = Object.keys(args);
    const given = new Set<unknown>(keys);
    const fitting = names.filter((name) => {
      const { properties, required } = schemas.get(name) as Schema;
      const wanted: unknown[] = Array.isArray(required) ? required : [];
      return (
        keys.every((key) => Object.hasOwn(properties ?? {}, key)) && wanted.every((key) => given.has(key))
      );
    });
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  return {
    known: names.length > 0,
    names,
    has: (name) => schemas.has(name),
    find,
    readHeader,
    infer,
    parameter: (tool, key) => {
      const properties = schemas.get(tool)?.properties;
      return properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    },
  };
}

/** How a name looks when `-` and `_` are the same. */
function alike(name: string): string {
  return name.replaceAll('-', '_');
}

/** The names by how they look; `null` where several do. */
function indexByLooks(names: readonly string[]): Map<string, string | null> {
  const byLooks = new Map<string, string | null>();
  for (const name of names) {
    const looks = alike(name);
    byLooks.set(looks, byLooks.has(looks) ? null : name);
  }
  return byLooks;
}
