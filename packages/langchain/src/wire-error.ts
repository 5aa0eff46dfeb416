import { OpenAIClient } from '@langchain/openai';

/**
 * What a server's answer is when it holds no reply at all: an error that came with status 200, as routers
 * send them, in the SDK's own words for it; or something else, the page of a proxy for one.
 */
export function toWireError(answer: object | undefined): Error {
  const { error } = (answer ?? {}) as { error?: object | string | null };
  if (typeof error === 'object' && error !== null)
    return new OpenAIClient.APIError(undefined, error, undefined, undefined);
  const told = typeof error === 'string' ? `: ${error}` : '';
  return new Error(`The server's answer has no reply in it, a chat completion was expected${told}`);
}
