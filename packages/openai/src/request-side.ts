import {
  type Endpoint,
  KimiError,
  KimiRequestError,
  type NormalizedRequest,
  normalizeRequest,
  type RequestOptions,
} from '@kimi-tc/core';
import { endpointOf } from './endpoint-of.ts';
import { isObject, type JsonObject } from './json.ts';
import { checkWord, type KimiOptions } from './kimi-options.ts';
import { type KimiRequest, toRequestContext } from './kimi-request.ts';
import { toRefusal } from './to-refusal.ts';

/** What is put right in requests, and for whom. */
export interface RequestSideOptions {
  /**
   * Make requests what the model was trained on and the endpoint accepts: ids, reasoning, contents, tool
   * names and schemas, parameters; see `normalizeRequest` of `@kimi-tc/core`. An object switches its
   * parts, sets thinking, or makes it strict. Requests for other models are never changed, and `false`
   * changes none. Default `true`. What would be refused is answered here, with status 400.
   */
  request?: boolean | Omit<RequestOptions, 'model' | 'endpoint' | 'recallReasoning'> | undefined;
  /**
   * Who answers, as far as requests depend on it. `auto` (default) tells from the address: Moonshot's
   * hosts; `self-hosted` for this machine, private addresses and the transport `completions`; else `router`.
   */
  endpoint?: Endpoint | 'auto' | undefined;
}

/** A request as it is to be sent, or the answer of a server that would refuse it. */
export type RewrittenRequest = NormalizedRequest<JsonObject> | Response;

/**
 * @param rendersFor whether requests to an address become prompts here: nobody refuses one without reasoning
 * @throws KimiError naming the option that is wrong
 */
export function createRequestSide(
  options: RequestSideOptions & KimiOptions & { transport?: string | undefined },
  rendersFor: (url: string) => boolean,
): (request: KimiRequest) => RewrittenRequest {
  const { request = true, endpoint = 'auto', model, transport, onProblem } = options;
  if (typeof request !== 'boolean' && !isObject(request))
    throw new KimiError('request', 'request: expected a boolean or an object');
  const parts = typeof request === 'object' ? request : {};
  checkWord('endpoint', endpoint, ['auto', 'moonshot', 'self-hosted', 'router']);
  const fixed = endpoint === 'auto' ? undefined : endpoint;
  normalizeRequest({}, { ...parts, endpoint: fixed, model });

  return ({ body, url }) => {
    if (request === false) return { body, problems: [], ids: new Map(), toolNames: new Map() };
    const to = fixed ?? (transport === 'completions' ? 'self-hosted' : endpointOf(url));
    try {
      const normalized = normalizeRequest(body, {
        reasoningPlaceholder: !rendersFor(url),
        ...parts,
        endpoint: to,
        model,
      });
      tell(normalized.problems);
      return normalized;
    } catch (error) {
      if (!(error instanceof KimiRequestError)) throw error;
      tell(error.problems);
      return toRefusal(error.message, error.option, error.problems.at(-1)?.code);
    }

    function tell(problems: KimiRequestError['problems']): void {
      for (const problem of problems) onProblem?.(problem, toRequestContext({ body, url }));
    }
  };
}
