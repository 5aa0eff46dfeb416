import { createKimiFetch, type ReasoningMemory } from '@kimi-tc/openai';
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
  const { fetch, close } = createUpstreamFetch(own, {
    timeouts: settings.timeouts,
    keepsKeys: settings.gatewayKeys.length === 0,
    onError: (code) => metrics.upstreamErrors.inc({ upstream: name, code }),
  });
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
    chat: (path, init) => kimiFetch(url + path, init),
    pass: (path, init) => fetch(url + path, init),
    close,
  };
}
