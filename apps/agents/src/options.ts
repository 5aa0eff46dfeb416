import { parseArgs } from 'node:util';
import { type BehaviourName, behaviours } from '@kimi-tc/testing';
import type { SdkName, Transport } from './agent.ts';
import { agents } from './agents.ts';

/** What the user asked for. */
export interface Options {
  readonly json: boolean;
  readonly showRaw: boolean;
  readonly help: boolean;
  /** What the agent is made with. */
  readonly sdk: SdkName;
  readonly transport: Transport;
  readonly question?: string;
  /** What the pretend engine does wrong. Absent: it leaves raw tokens in the content. */
  readonly fault?: BehaviourName;
  /** Absent: the pretend engine. */
  readonly endpoint?: { readonly baseURL: string; readonly apiKey?: string; readonly model: string };
}

/** The command line or the environment is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

export const defaultModel = 'kimi-k2-thinking';

/**
 * @throws UsageError
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values, positionals } = parse(args);
  if (values.help) return { json: false, showRaw: false, help: true, sdk: 'openai', transport: 'chat' };
  if (positionals.length > 1) throw new UsageError('more than one question; put it in quotes');
  const [question] = positionals;
  if (question?.trim() === '') throw new UsageError('the question is empty');
  const endpoint = readEndpoint(env);
  const { fault, sdk, transport } = values;
  if (!isSdk(sdk)) throw new UsageError(`--sdk ${sdk}: expected ${sdkNames}`);
  if (transport !== 'chat' && transport !== 'completions') {
    throw new UsageError(`--transport ${transport}: expected chat or completions`);
  }
  if (fault !== undefined && !isBehaviour(fault)) {
    throw new UsageError(`--fault ${fault}: there is none of this name; --help lists them`);
  }
  if (fault !== undefined && endpoint) {
    throw new UsageError('--fault is for the pretend engine, and KIMI_BASE_URL names a real one');
  }
  if (fault !== undefined && transport === 'completions' && !showsInText(fault)) {
    throw new UsageError(
      `--fault ${fault}: only chat replies can have it, not those of --transport completions`,
    );
  }
  return {
    json: values.json,
    showRaw: values['show-raw'],
    help: false,
    sdk,
    transport,
    ...(question !== undefined && { question }),
    ...(fault !== undefined && { fault }),
    ...(endpoint && { endpoint }),
  };
}

function parse(args: readonly string[]): ReturnType<typeof parseStrictly> {
  try {
    return parseStrictly(args);
  } catch (error) {
    // parseArgs explains more than is needed behind the first sentence.
    throw new UsageError(String((error as Error).message).replace(/\. .*$/s, ''));
  }
}

const flags = {
  json: { type: 'boolean', default: false },
  'show-raw': { type: 'boolean', default: false },
  fault: { type: 'string' },
  sdk: { type: 'string', default: 'openai' },
  transport: { type: 'string', default: 'chat' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parseStrictly(args: readonly string[]): {
  values: {
    json: boolean;
    'show-raw': boolean;
    fault?: string | undefined;
    sdk: string;
    transport: string;
    help: boolean;
  };
  positionals: string[];
} {
  return parseArgs({ args: [...args], options: flags, allowPositionals: true });
}

function readEndpoint(env: NodeJS.ProcessEnv): Options['endpoint'] {
  const { KIMI_BASE_URL: baseURL, KIMI_API_KEY: apiKey, KIMI_MODEL: model } = env;
  if (!baseURL) return undefined;
  if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol)) {
    throw new UsageError('KIMI_BASE_URL: expected an http or https address, like http://127.0.0.1:8000/v1');
  }
  const { username, password } = new URL(baseURL);
  if (username || password) throw new UsageError('KIMI_BASE_URL: the key goes into KIMI_API_KEY');
  return { baseURL, ...(apiKey && { apiKey }), model: model || defaultModel };
}

/** The values of `--sdk`, for people. */
export const sdkNames: string = new Intl.ListFormat('en', { type: 'disjunction' }).format(
  Object.keys(agents),
);

function isSdk(name: string): name is SdkName {
  return Object.hasOwn(agents, name);
}

function isBehaviour(name: string): name is BehaviourName {
  return Object.hasOwn(behaviours, name);
}

/** Whether a fault can show in a text completion: one of the text, the wire or the end, or a failure. */
export function showsInText(fault: BehaviourName): boolean {
  const { editText, wire, failure } = behaviours[fault];
  const isOfEnd = ['finish-twice', 'no-finish', 'usage-in-choices'].includes(fault);
  return isOfEnd || [editText, wire, failure].some((station) => station !== undefined);
}
