/** A generation of Kimi models. `unknown`: not a Kimi model this library knows. */
export type ModelFamily = 'k2-instruct' | 'k2-thinking' | 'k2.5' | 'k2.6' | 'k2.7-code' | 'k3' | 'unknown';

/** Models that Moonshot serves or has published; servers have names of their own for them. */
export type KimiModelId =
  | 'kimi-k2-0905-preview'
  | 'kimi-k2-turbo-preview'
  | 'kimi-k2-thinking'
  | 'kimi-k2-thinking-turbo'
  | 'kimi-k2.5'
  | 'kimi-k2.6'
  | 'kimi-k2.7-code'
  | 'kimi-k2.7-code-highspeed'
  | 'kimi-k3'
  | 'moonshotai/Kimi-K2-Instruct-0905'
  | 'moonshotai/Kimi-K2-Thinking'
  | 'moonshotai/Kimi-K2.5'
  // Keeps the names above as suggestions of an editor.
  | (string & {});

/** What a model id implies. */
export interface ModelProfile {
  /** The id as it was given. */
  id: string;
  /** The generation it belongs to; what endpoints and prompts want depends on it. */
  family: ModelFamily;
  /** How the model marks up its calls. */
  grammar: 'k2' | 'k3';
  /**
   * Who opens a thought: nobody (`none`), the model by writing `<think>` (`model`), or the prompt, so
   * that a raw completion starts inside of the thought (`prompt`).
   */
  thinking: 'none' | 'model' | 'prompt';
}

const RULES: Record<ModelFamily, Pick<ModelProfile, 'grammar' | 'thinking'>> = {
  'k2-instruct': { grammar: 'k2', thinking: 'none' },
  'k2-thinking': { grammar: 'k2', thinking: 'model' },
  'k2.5': { grammar: 'k2', thinking: 'prompt' },
  'k2.6': { grammar: 'k2', thinking: 'prompt' },
  'k2.7-code': { grammar: 'k2', thinking: 'prompt' },
  k3: { grammar: 'k3', thinking: 'prompt' },
  unknown: { grammar: 'k2', thinking: 'none' },
};

/**
 * `kimi-k2`, then perhaps a minor version as hosts spell it (`.5`, `p5`, `-5`), then the rest of the name.
 * A date such as `-0905` is not a minor version.
 */
const KIMI_K = /(?:^|[^a-z0-9])kimi[-_. ]?k([23])(?:[.p](\d+)|[-_]([5-9])(?!\d))?(?![0-9])(.*)/;

function familyOf(id: string): ModelFamily {
  if (Object.hasOwn(RULES, id)) return id as ModelFamily;
  const match = KIMI_K.exec(id.toLowerCase());
  if (!match) return 'unknown';
  const [, major, dotted, minor = dotted, rest = ''] = match;
  if (major === '3') return 'k3';
  if (minor === '5') return 'k2.5';
  if (minor === '6') return 'k2.6';
  if (minor === '7') return 'k2.7-code';
  if (minor !== undefined) return 'unknown';
  return /(?:^|[^a-z])thinking/.test(rest) ? 'k2-thinking' : 'k2-instruct';
}

/**
 * The profile of a model id, in the spellings of Moonshot, Hugging Face, GGUF files and common hosts, or of a
 * family by its own name (`k2.5`), for models whose ids do not tell.
 *
 * Never throws. Ids that are not a K2 or K3 model, `kimi` in the name or not (`kimi-latest`,
 * `kimi-vl-a3b`), get the family `unknown`: the K2 grammar is read, as it does no harm where it does
 * not occur, nothing is assumed about thinking, and no request rule applies.
 */
export function resolveModel(id: string): ModelProfile {
  const family = familyOf(String(id));
  return { id: String(id), family, ...RULES[family] };
}
