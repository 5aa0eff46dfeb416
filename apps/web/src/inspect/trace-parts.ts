import { kimiMiddleware } from '@kimi-tc/ai-sdk';
import { replayParts } from './replay-parts.ts';
import type { Reply } from './reply.ts';
import type { StreamPart, TracedPart } from './traced-part.ts';

type WrapStream = NonNullable<ReturnType<typeof kimiMiddleware>['wrapStream']>;
type StreamOptions = Parameters<WrapStream>[0];

/**
 * What the AI SDK gets of a reply: a model that only repeats the deltas, behind the real middleware. Nothing
 * buffers in between, and a delta is handed out when all parts of the ones in front of it have been read;
 * so each part is known to be of the last delta that was handed out.
 *
 * @throws KimiError naming the option that is wrong
 * @throws the signal's reason when it aborts
 */
export async function traceParts(reply: Reply, signal?: AbortSignal): Promise<TracedPart[]> {
  const { promptOpensThink, recoverTextCalls, guidedJson, limits, toolChoice } = reply.options;
  const middleware = kimiMiddleware({ promptOpensThink, recoverTextCalls, guidedJson, limits });
  let delta = 0;
  const source = replayParts(reply);
  const doStream = async () => ({
    stream: new ReadableStream<StreamPart>(
      {
        pull(controller) {
          const { value, done } = source.next();
          if (done) return controller.close();
          delta = value.delta;
          controller.enqueue(value.part);
        },
      },
      { highWaterMark: 0 },
    ),
  });
  const doGenerate = () => Promise.reject(new Error('a replay only streams'));
  const model: StreamOptions['model'] = {
    specificationVersion: 'v4',
    provider: 'replay',
    modelId: 'kimi-k2',
    supportedUrls: {},
    doStream,
    doGenerate,
  };
  const params: StreamOptions['params'] = {
    prompt: [],
    tools: reply.tools.map(({ function: { name, description, parameters } }) => ({
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      inputSchema: parameters,
    })),
    ...(toolChoice && { toolChoice: { type: toolChoice } }),
  };
  const { stream } = await (middleware.wrapStream as WrapStream)({
    doStream,
    doGenerate,
    params,
    model,
  });
  const parts: TracedPart[] = [];
  const reader = stream.getReader();
  for (;;) {
    signal?.throwIfAborted();
    const { value, done } = await reader.read();
    if (done) return parts;
    parts.push({ part: value, delta });
  }
}
