import { type BehaviourName, combineBehaviours } from './behaviours.ts';
import { type Cuts, isCuts } from './cuts.ts';
import { editText, readReply } from './render-chat.ts';
import type { EngineRequest } from './request-record.ts';
import { type EngineChunking, type Script, toTurn, turnPieces } from './script.ts';

/** How a pretend engine is to be. */
export interface EngineOptions {
  /**
   * What the model says. A list is indexed by the number of replies that the conversation of a
   * request already holds; a function chooses by itself.
   */
  readonly script: Script;
  /**
   * How the server treats the raw text; several names act together, with at most one treatment among
   * them. Default: `healthy`.
   */
  readonly behaviour?: BehaviourName | readonly BehaviourName[];
  /** How the text of a turn is cut into deltas. Default: `pieces`. */
  readonly chunking?: EngineChunking;
  /**
   * How the bytes of a stream are cut into writes, inside lines and characters as well. Default: one
   * write for each event.
   */
  readonly byteCuts?: Cuts;
  /** Milliseconds between events of a stream, and before an answer that is not streamed. Default: 0. */
  readonly delayMs?: number;
  /** Milliseconds that `slow-first-byte` waits. Default: 500. */
  readonly slowMs?: number;
  /** The key that requests have to bring as `Authorization: Bearer KEY`. Default: none is asked for. */
  readonly apiKey?: string;
  /** Ids that `/v1/models` lists; others are refused. Default: one is listed, all are served. */
  readonly models?: readonly string[];
  /**
   * Looks at each request for a completion before it is answered. What it throws is answered with
   * status 400 and kept as the request's `error`.
   */
  onRequest?(request: EngineRequest): void | Promise<void>;
}

/**
 * @throws TypeError naming the option that is wrong and what was expected
 */
export function checkOptions(options: EngineOptions): void {
  checkShape(options);
  const {
    script,
    behaviour = 'healthy',
    chunking = 'pieces',
    byteCuts = 1,
    delayMs = 0,
    slowMs = 0,
  } = options;
  combineBehaviours(behaviour);
  if (chunking !== 'pieces' && chunking !== 'units' && !isCuts(chunking)) {
    throw new TypeError("chunking: expected 'pieces', 'units', a length from 1, or { seed, max }");
  }
  if (!isCuts(byteCuts)) throw new TypeError('byteCuts: expected a length from 1, or { seed, max }');
  for (const [name, ms] of Object.entries({ delayMs, slowMs })) {
    if (!(Number.isFinite(ms) && ms >= 0 && ms < LONGEST_WAIT)) {
      throw new TypeError(`${name}: expected milliseconds from 0, less than ${LONGEST_WAIT}`);
    }
  }
  if (typeof script === 'function') return;
  if (!Array.isArray(script)) throw new TypeError('script: expected a list of turns or a function');
  script.forEach((given, at) => {
    checkTurn(given, behaviour, at);
  });
}

/** Milliseconds; timers take no longer ones. */
const LONGEST_WAIT = 2 ** 31;

const OPTION_TYPES: Readonly<Record<keyof EngineOptions, (value: unknown) => boolean>> = {
  script: () => true,
  behaviour: (value) => typeof value === 'string' || (Array.isArray(value) && value.length > 0),
  chunking: () => true,
  byteCuts: () => true,
  delayMs: (value) => typeof value === 'number',
  slowMs: (value) => typeof value === 'number',
  apiKey: (value) => typeof value === 'string' && value !== '',
  models: (value) => Array.isArray(value) && value.every((id) => typeof id === 'string'),
  onRequest: (value) => typeof value === 'function',
};

/** What types would tell, for those who call without them. */
function checkShape(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('options: expected an object with a script');
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(OPTION_TYPES, name) ? OPTION_TYPES[name as keyof EngineOptions] : undefined;
    if (!check)
      throw new TypeError(`${name}: there is no such option, only ${Object.keys(OPTION_TYPES).join(', ')}`);
    if (value !== undefined && !check(value))
      throw new TypeError(`${name}: is of the wrong type, see EngineOptions`);
  }
}

/** A turn that its server could not read is found here, not in the middle of a test. */
function checkTurn(
  given: Parameters<typeof toTurn>[0],
  behaviour: EngineOptions['behaviour'],
  at: number,
): void {
  if (typeof given !== 'string' && (typeof given !== 'object' || given === null)) {
    throw new TypeError(`script[${at}]: expected a text or a turn`);
  }
  const turn = toTurn(given);
  if (typeof turn.text !== 'string' && !Array.isArray(turn.text)) {
    throw new TypeError(`script[${at}].text: expected a string or a list of pieces`);
  }
  if (Array.isArray(turn.text) && turn.text.some((piece) => typeof piece !== 'string')) {
    throw new TypeError(`script[${at}].text: expected pieces of text`);
  }
  if (turn.finishReason !== undefined && typeof turn.finishReason !== 'string') {
    throw new TypeError(`script[${at}].finishReason: expected a string`);
  }
  if (turn.usage !== undefined && (typeof turn.usage !== 'object' || turn.usage === null)) {
    throw new TypeError(`script[${at}].usage: expected token counts`);
  }
  const rows = combineBehaviours(turn.behaviour ?? behaviour ?? 'healthy');
  try {
    readReply(editText(turnPieces(turn), rows), turn.finishReason, rows, {});
  } catch (error) {
    throw new TypeError(`script[${at}].text: ${(error as Error).message}`);
  }
}
