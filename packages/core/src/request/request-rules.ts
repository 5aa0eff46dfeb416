import type { ModelFamily } from '../grammar/models.ts';

/**
 * Who answers: Moonshot's own API; an engine that the caller runs (vLLM, SGLang, llama.cpp, …); or
 * something between that may end at either.
 */
export type Endpoint = 'moonshot' | 'self-hosted' | 'router';

/** What one endpoint wants to be sent for one model family. */
export interface RequestRules {
  /** `canonical`: `functions.NAME:N`. `unique`: any, each once. `keep`: as they are. */
  ids: 'canonical' | 'unique' | 'keep';
  /** The fields that carry the reasoning of an assistant message. */
  reasoningFields: readonly ('reasoning_content' | 'reasoning')[];
  /** A call that no tool result answers is refused. */
  answersDemanded: boolean;
  /** Whether the model reads the reasoning of finished turns: never, with `keep`, always. */
  keepsReasoning: 'never' | 'asked' | 'always';
  /** `flavored`: in Moonshot's subset of JSON Schema. */
  schemas: 'flavored' | 'keep';
  /** UTF-16 units of a tool's name. `Infinity`: names are not checked at all. */
  longestToolName: number;
  mostTools: number;
  /** Parameters that are refused, or pinned to one value. */
  dropped: readonly string[];
  /** The field of the token limit; `undefined`: either. */
  tokenLimit: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** `none`: the model does not think. `always`: it cannot be stopped. `switch`: on or off. `effort`: a level. */
  thinking: 'none' | 'always' | 'switch' | 'effort';
  /** Where thinking is switched; `either`: written as `thinking`, but template arguments may pass. */
  thinkingField: 'thinking' | 'chat_template_kwargs' | 'either';
  /** A forced tool while the model thinks. `auto` and `required`: what it becomes. */
  forcedTool: 'keep' | 'thinking-off' | 'auto' | 'required';
}

interface Row {
  /** Absent: all. */
  families?: readonly ModelFamily[];
  /** Absent: all. */
  endpoints?: readonly Endpoint[];
  rules: Partial<RequestRules>;
}

const API: readonly Endpoint[] = ['moonshot', 'router'];
const SAMPLING = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'n'];

const DEFAULTS: RequestRules = {
  ids: 'canonical',
  reasoningFields: ['reasoning_content'],
  answersDemanded: false,
  keepsReasoning: 'never',
  schemas: 'keep',
  longestToolName: Number.POSITIVE_INFINITY,
  mostTools: Number.POSITIVE_INFINITY,
  dropped: [],
  tokenLimit: undefined,
  thinking: 'none',
  thinkingField: 'either',
  forcedTool: 'keep',
};

/** The table: a later row wins. A new model is a row of its own, or a name more in those it is like. */
const TABLE: readonly Row[] = [
  // Schemas, names, 128 tools: Moonshot's API reference and its schema checker (MoonshotAI/walle),
  // MoonshotAI/kimi-code#2661, MoonshotAI/kimi-cli#2164, MoonshotAI/Kimi-K2#90. A router may end there.
  // `store`: Gitlawb/openclaude#805.
  {
    endpoints: API,
    rules: {
      schemas: 'flavored',
      longestToolName: 64,
      mostTools: 128,
      dropped: ['store'],
    },
  },
  // Moonshot renames the ids of a history itself, wants every call answered, and prefers the newer name
  // of the token limit (its API reference); template arguments belong to engines.
  {
    endpoints: ['moonshot'],
    rules: {
      ids: 'keep',
      answersDemanded: true,
      tokenLimit: 'max_completion_tokens',
      thinkingField: 'thinking',
    },
  },
  // Not every engine knows the newer name. Newer vLLM reads `reasoning` alone, chat templates and other
  // engines `reasoning_content` alone. Engines pass thinking on to the chat template by its arguments.
  {
    endpoints: ['self-hosted'],
    rules: {
      tokenLimit: 'max_tokens',
      reasoningFields: ['reasoning_content', 'reasoning'],
      thinkingField: 'chat_template_kwargs',
    },
  },
  // Thinks always; its template drops the reasoning of finished turns. Forcing works on K3 only, and
  // thinking cannot be switched off (UKGovernmentBEIS/inspect_ai#5152).
  { families: ['k2-thinking'], rules: { thinking: 'always' } },
  { families: ['k2-thinking'], endpoints: API, rules: { forcedTool: 'auto' } },
  // anomalyco/opencode#10811 (sampling), can1357/oh-my-pi#1077 (forced tool)
  { families: ['k2.5', 'k2.6'], rules: { thinking: 'switch' } },
  {
    families: ['k2.5', 'k2.6'],
    endpoints: API,
    rules: { dropped: [...SAMPLING, 'store'], forcedTool: 'thinking-off' },
  },
  // can1357/oh-my-pi#1839 (keep)
  { families: ['k2.6'], rules: { keepsReasoning: 'asked' } },
  // can1357/oh-my-pi#3852 (thinking), UKGovernmentBEIS/inspect_ai#5152 (forced tool)
  { families: ['k2.7-code'], rules: { thinking: 'always', keepsReasoning: 'always' } },
  {
    families: ['k2.7-code'],
    endpoints: API,
    rules: { dropped: [...SAMPLING, 'store'], forcedTool: 'auto' },
  },
  // Ids are opaque: fw-ai/fireconnect#16. Effort only: lemon07r/opencode-kimi-full#11. Reasoning of all
  // turns: cline/cline#12475. A named tool is refused, `required` is not: can1357/oh-my-pi#5994.
  // Sampling and names of up to 256: Kimi-Vendor-Verifier.
  { families: ['k3'], rules: { ids: 'unique', thinking: 'effort', keepsReasoning: 'always' } },
  {
    families: ['k3'],
    endpoints: API,
    rules: { dropped: [...SAMPLING, 'store'], forcedTool: 'required', longestToolName: 256 },
  },
];

/** @param endpoint absent: what suits a history whose receiver is not known */
export function resolveRules(family: ModelFamily, endpoint?: Endpoint): RequestRules {
  const rows = TABLE.filter(
    ({ families, endpoints }) =>
      (families?.includes(family) ?? true) && (!endpoints || (endpoint && endpoints.includes(endpoint))),
  );
  return Object.assign({}, DEFAULTS, ...rows.map(({ rules }) => rules));
}
