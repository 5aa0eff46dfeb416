import type { BehaviourName } from '@kimi-tc/testing';
import { createUIMessageStreamResponse } from 'ai';
import { speak } from '../../../agent/pretend-model.ts';
import { endpointId } from '../../../agent/servers.ts';
import { checkOrigin } from '../../../server/check-origin.ts';
import { type Endpoint, readEndpoint, readHosts, readPretendDelay } from '../../../server/endpoint.ts';
import { bodyLimit } from '../../../server/limits.ts';
import { loadTesting } from '../../../server/load-testing.ts';
import { readJsonBody } from '../../../server/read-body.ts';
import { readChatRequest } from '../../../server/read-chat-request.ts';
import { Refusal } from '../../../server/refusal.ts';
import { streamReply } from '../../../server/stream-reply.ts';

/** Goes on with a conversation; the answer is a stream of UI messages. Errors are a line of text. */
export async function POST(request: Request): Promise<Response> {
  try {
    checkOrigin(request.headers, readHosts(process.env));
    const { messages, server } = await readChatRequest(await readJsonBody(request, bodyLimit));
    const { endpoint, stop } = await openServer(server);
    return createUIMessageStreamResponse({ stream: streamReply(messages, endpoint, request.signal, stop) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return new Response(error.message, { status: error.status });
  }
}

interface OpenServer {
  readonly endpoint: Endpoint;
  stop(): Promise<void>;
}

async function openServer(id: string): Promise<OpenServer> {
  const { behaviours } = await loadTesting();
  if (Object.hasOwn(behaviours, id)) return startPretendServer(id as BehaviourName);
  const endpoint = id === endpointId ? readEndpoint(process.env) : undefined;
  if (!endpoint) throw new Refusal(400, `server: there is none called ${id}.`);
  return { endpoint, stop: async () => {} };
}

/** One engine for each request: it remembers all requests that it got, and is gone with them. */
async function startPretendServer(behaviour: BehaviourName): Promise<OpenServer> {
  const { startEngine } = await loadTesting();
  const engine = await startEngine({
    script: ({ body }) => speak(body),
    behaviour,
    delayMs: readPretendDelay(process.env),
  });
  return {
    endpoint: { baseURL: engine.baseURL, model: 'kimi-k2-thinking' },
    stop: () => engine.stop(),
  };
}
