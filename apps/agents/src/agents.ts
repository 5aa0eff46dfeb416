import type { Agent, SdkName } from './agent.ts';

/**
 * One agent for each SDK, with the same outline, so that their files can be read side by side. Only
 * the SDK that is asked for is loaded.
 */
export const agents: Readonly<Record<SdkName, () => Promise<Agent>>> = {
  openai: async () => (await import('./openai-agent.ts')).runOpenaiAgent,
  'ai-sdk': async () => (await import('./ai-sdk-agent.ts')).runAiSdkAgent,
  langchain: async () => (await import('./langchain-agent.ts')).runLangchainAgent,
};
