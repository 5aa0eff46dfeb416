import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { placeInJson } from '../json.ts';
import { readKey, readKeys } from '../read-key.ts';
import { show, showSecret } from '../terminal/shown.ts';
import { UsageError } from '../terminal/usage-error.ts';
import {
  isPublicHost,
  type ParsedSettings,
  SECRET_FIELDS,
  type Settings,
  settingsSchema,
  type UpstreamSettings,
} from './settings.ts';

/** Settings that cannot be used. Each line of the message names a place, what was expected and what was found. */
export class SettingsError extends UsageError {
  override readonly name: string = 'SettingsError';
}

/** A value from a flag or the environment. */
export interface GivenOption {
  /** `--port` or `KIMI_TC_PORT`, for messages. */
  from: string;
  /** See `GatewayOption`. */
  path: string;
  value: unknown;
}

type Tree = Record<string, unknown>;

/**
 * Puts file, environment and flags together and checks them.
 *
 * @param given come before the file
 * @param file path of a JSON file
 * @param env where the keys are
 * @throws SettingsError
 */
export function readSettings(
  given: readonly GivenOption[],
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const tree = file === undefined ? {} : readFile(file);
  const origins = new Map<string, string>();
  placeUpstreams(tree, given, origins);
  for (const { path, value, from } of given) {
    if (path === 'upstreams' || path.startsWith('upstream.')) continue;
    place(tree, path.split('.'), value);
    origins.set(path, from);
  }
  const parsed = settingsSchema.safeParse(tree);
  if (!parsed.success) {
    const lines = parsed.error.issues.flatMap((issue) => describe(issue, tree, file, origins));
    throw new SettingsError(lines.join('\n'));
  }
  return withKeys(parsed.data, env, (path) => labelOf(path, file, origins));
}

function readFile(file: string): Tree {
  let text: string;
  try {
    // Editors on Windows put a byte order mark in front.
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new SettingsError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`${file}: expected JSON${placeInJson(error)}`);
  }
  if (!isTree(value)) throw new SettingsError(`${file}: expected an object, found ${showSecret(value)}`);
  return value;
}

/** Upstreams of flags replace those of the file; what else is said of one belongs to the only one there is. */
function placeUpstreams(tree: Tree, given: readonly GivenOption[], origins: Map<string, string>): void {
  const urls = given.find(({ path }) => path === 'upstreams');
  if (urls) {
    tree.upstreams = (urls.value as unknown[]).map((url) => ({ url }));
    origins.set('upstreams', urls.from);
  }
  for (const { path, value, from } of given.filter((option) => option.path.startsWith('upstream.'))) {
    const [only, ...others] = Array.isArray(tree.upstreams) ? tree.upstreams : [];
    if (!isTree(only) || others.length > 0)
      throw new SettingsError(
        `${from}: expected one upstream, found ${only === undefined ? 'none' : others.length + 1}; say it in a configuration file, for each`,
      );
    const field = path.slice('upstream.'.length);
    only[field] = field === 'models' ? toMap(value as unknown[], from) : value;
    origins.set(`upstreams.0.${field}`, from);
  }
}

function toMap(pairs: readonly unknown[], from: string): Tree {
  const wrong = pairs.find((pair) => !Array.isArray(pair));
  if (wrong !== undefined) throw new SettingsError(`${from}: expected NAME=ID, found ${show(wrong)}`);
  const names = (pairs as [string, string][]).map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined)
    throw new SettingsError(`${from}: expected each name once, found ${show(twice)} once more`);
  return Object.fromEntries(pairs as [string, string][]);
}

function place(tree: Tree, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) tree[name] = value;
  else {
    // Something else than an object there is for the check to refuse.
    tree[name] ??= {};
    if (isTree(tree[name])) place(tree[name], rest, value);
  }
}

function describe(
  issue: z.core.$ZodIssue,
  tree: Tree,
  file: string | undefined,
  origins: ReadonlyMap<string, string>,
): string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) => `${labelOf([...path, key].join('.'), file, origins)}: there is no such setting`,
    );
  const found = path.reduce<unknown>((value, name) => (Object(value) as Tree)[name], tree);
  const field = path.findLast((name) => !/^\d+$/.test(name)) ?? '';
  const shown = SECRET_FIELDS.includes(field) ? showSecret(found) : show(found);
  return [`${labelOf(path.join('.'), file, origins)}: expected ${issue.message}, found ${shown}`];
}

function labelOf(path: string, file: string | undefined, origins: ReadonlyMap<string, string>): string {
  // What was given for a whole was given for its parts.
  for (let whole = path; whole !== ''; whole = whole.slice(0, Math.max(whole.lastIndexOf('.'), 0))) {
    const from = origins.get(whole);
    if (from !== undefined) return from;
  }
  const name = path.replace(/\.(\d+)/g, '[$1]');
  return file === undefined ? name || 'settings' : `${file}: ${name}`;
}

function withKeys(
  { gatewayKeysEnv, upstreams, ...parsed }: ParsedSettings,
  env: Readonly<Record<string, string | undefined>>,
  label: (path: string) => string,
): Settings {
  const gatewayKeys =
    gatewayKeysEnv === undefined
      ? []
      : readKeys(gatewayKeysEnv, label('gatewayKeysEnv'), env)
          .split(/[\s,]+/)
          .filter((key) => key !== '');
  const { host, allowPublic } = parsed.listen;
  if (isPublicHost(host) && gatewayKeys.length === 0 && !allowPublic)
    throw new SettingsError(
      `${label('listen.host')}: ${JSON.stringify(host)} can be reached from other machines, so callers need keys: ` +
        'expected gatewayKeysEnv (--gateway-keys-env NAME), or allowPublic (--allow-public) to let everybody call',
    );
  const named = upstreams.map((one, at): UpstreamSettings => {
    const name = one.name ?? (URL.parse(one.url)?.host as string);
    const { apiKeyEnv } = one;
    return apiKeyEnv === undefined
      ? { ...one, name }
      : { ...one, name, apiKey: readKey(apiKeyEnv, label(`upstreams.${at}.apiKeyEnv`), env) };
  });
  const names = named.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) < at);
  if (twice >= 0)
    throw new SettingsError(
      `${label(`upstreams.${twice}.name`)}: expected a name of its own, found ${show(names[twice])} once more`,
    );
  return { ...parsed, upstreams: named, gatewayKeys };
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
