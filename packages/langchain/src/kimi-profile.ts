import { type Endpoint, type ModelFamily, normalizeRequest, resolveModel } from '@kimi-tc/core';
import type { ModelProfile } from '@langchain/core/language_models/profile';

/** Tokens of context, and what a message may hold beside text, as Moonshot's model pages give them. */
const ABILITIES: Record<Exclude<ModelFamily, 'unknown'>, { context: number; images: boolean }> = {
  'k2-instruct': { context: 262_144, images: false },
  'k2-thinking': { context: 262_144, images: false },
  'k2.5': { context: 262_144, images: true },
  'k2.6': { context: 262_144, images: true },
  'k2.7-code': { context: 262_144, images: false },
  k3: { context: 1_048_576, images: true },
};

/** What a model can do, as LangChain asks for it. Of a model that is not known nothing is said. */
export function toModelProfile(model: string, endpoint: Endpoint): ModelProfile {
  const { family, thinking } = resolveModel(model);
  if (family === 'unknown') return {};
  const { context, images } = ABILITIES[family];
  const forced = canForceTools(model, endpoint);
  return {
    maxInputTokens: model.includes('0711') ? 131_072 : context,
    imageInputs: images,
    imageUrlInputs: images,
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
