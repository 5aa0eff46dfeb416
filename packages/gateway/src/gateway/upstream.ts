import { createKimiFetch, type ReasoningMemory } from '@kimi-tc/openai';
import { ApiError } from './api-error.ts';
import { exchanges } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import type { Settings, UpstreamSettings } from './settings.ts';
import { createUpstreamFetch } from './upstream-fetch.ts';

/** A server that answers for the gateway. */
export interface Upstream {
  name: string;
  /** From the names that clients use to its own ids. Absent: any name is served, as it is. */
  models: ReadonlyMap<string, string> | undefined;
  /** Requests for chat, and what comes back, made right. `path` begins with a slash. */
  chat(path: string, init: RequestInit): Promise<Response>;
  /** Everything else, as it is. */
  pass(path: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** What all upstreams of a gateway share. */
export interface UpstreamParts {
  settings: Settings;
  memory: ReasoningMemory;
  metrics: Metrics;
}

export function createUpstream(
  own: UpstreamSettings,
  { settings, memory, metrics }: UpstreamParts,
): Upstream {
  const { name, url } = own;
  const { fetch, close } = createUpstreamFetch(own, settings.timeouts, settings.gatewayKeys.length === 0);
  const kimiFetch = createKimiFetch({
    fetch,
    reasoningMemory: memory,
    endpoint: own.endpoint ?? settings.endpoint,
    guidedJson: own.guidedJson ?? settings.guidedJson,
    model: own.model ?? settings.model,
    promptOpensThink: own.promptOpensThink ?? settings.promptOpensThink,
    recoverTextCalls: own.recoverTextCalls ?? settings.recoverTextCalls,
    request: own.request ?? settings.request,
    specialTokensInText: own.specialTokensInText ?? settings.specialTokensInText,
    transport: own.transport ?? settings.transport,
    onProblem({ code }, context) {
      metrics.problems.inc({ code, of: context.of, upstream: name });
      const problems = exchanges.getStore()?.problems;
      problems?.set(code, (problems.get(code) ?? 0) + 1);
    },
  });
  return {
    name,
    models: own.models && new Map(Object.entries(own.models)),
    chat: async (path, init) => refuseRedirect(await kimiFetch(url + path, init), name),
    pass: async (path, init) => refuseRedirect(await fetch(url + path, init), name),
    close,
  };
}

/** Where it points to is no upstream that somebody configured, and a key would go there. */
async function refuseRedirect(response: Response, name: string): Promise<Response> {
  if (response.status < 300 || response.status >= 400) return response;
  await response.body?.cancel();
  throw new ApiError(
    502,
    'upstream_redirect',
    `The upstream ${name} redirects (status ${response.status}), which is not followed; configure the address it redirects to.`,
  );
}
