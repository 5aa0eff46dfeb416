import { type Endpoint, type ModelFamily, normalizeRequest, resolveModel } from '@kimi-tc/core';
import type { ModelProfile } from '@langchain/core/language_models/profile';

/** Tokens, as Moonshot's model pages give them. */
const CONTEXT: Partial<Record<ModelFamily, number>> = {
  'k2-instruct': 262_144,
  'k2-thinking': 262_144,
  'k2.5': 262_144,
  'k2.6': 262_144,
  'k2.7-code': 262_144,
  k3: 1_048_576,
};

/** What a model can do, as LangChain asks for it. Of a model that is not known nothing is said. */
export function toModelProfile(model: string, endpoint: Endpoint): ModelProfile {
  const { family, thinking } = resolveModel(model);
  if (family === 'unknown') return {};
  const seesImages = family === 'k2.5' || family === 'k2.6' || family === 'k3';
  const forced = canForceTools(model, endpoint);
  return {
    maxInputTokens: model.includes('0711') ? 131_072 : (CONTEXT[family] as number),
    imageInputs: seesImages,
    imageUrlInputs: seesImages,
    audioInputs: false,
    pdfInputs: false,
    reasoningOutput: thinking !== 'none',
    toolCalling: true,
    toolChoice: forced,
    // By this `createAgent` chooses between a forced tool and a schema for the reply. With a schema many
    // engines let the model call no tools at all, so that it is for where tools cannot be forced.
    structuredOutput: !forced,
  };
}

/** Whether the endpoint takes a forced tool, while the model thinks or not. */
export function canForceTools(model: string, endpoint: Endpoint): boolean {
  const tools = [{ type: 'function', function: { name: 'tool_name', parameters: { type: 'object' } } }];
  const { problems } = normalizeRequest({ model, tools, tool_choice: 'required' }, { endpoint });
  return !problems.some(({ code }) => code === 'tool-choice-downgraded');
}
