import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { answerCompletion, type CompletionParts } from './answer-completion.ts';
import { ApiError, toApiError } from './api-error.ts';
import type { Log } from './create-log.ts';
import { type Exchange, exchanges } from './exchange.ts';
import type { CheckKey } from './gateway-keys.ts';
import { toUpstreamHeaders } from './headers.ts';
import { toUnknownModel } from './model-router.ts';
import { type CheckOrigin, createOriginCheck } from './origins.ts';

/** What the connection of a request can do. */
export interface Connection {
  /** Ends it, with or without an answer. */
  breakOff(): void;
  /** Whether it was ended because the client did not read its reply. */
  isStuck(): boolean;
}

export interface AppParts extends CompletionParts {
  log: Log;
  checkKey: CheckKey;
  /** Of web pages that may call. */
  origins: readonly string[];
  /** Whether the gateway is going: it takes no new requests. */
  isClosing(): boolean;
}

type Env = { Bindings: Connection };

/** Routes, and the one method each has. */
const ROUTES: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/v1/chat/completions': 'POST',
  '/v1/completions': 'POST',
  '/v1/models': 'GET',
  '/v1/models/{id}': 'GET',
  '/healthz': 'GET',
  '/readyz': 'GET',
  '/metrics': 'GET',
};

/** All that the gateway answers, as a function from request to response. */
export function createApp(parts: AppParts): Hono<Env> {
  const { log, checkKey, origins, router, metrics, isClosing } = parts;
  const isAllowed = createOriginCheck(origins);
  const app = new Hono<Env>();

  app.use(async (context, next) => {
    checkOrigin(context.req.raw, isAllowed);
    await next();
  });
  if (origins.length > 0)
    app.use(
      cors({
        origin: origins.includes('*') ? '*' : (origin) => (isAllowed(origin) ? origin : null),
        exposeHeaders: ['x-request-id', 'retry-after'],
      }),
    );

  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.get('/readyz', async (context) => {
    const isReady = !isClosing() && (await router.isReady());
    return context.json({ status: isReady ? 'ready' : 'not ready' }, isReady ? 200 : 503);
  });
  app.get('/metrics', async (context) => {
    checkKey(context.req.raw.headers);
    return context.body(await metrics.registry.metrics(), 200, {
      'content-type': metrics.registry.contentType,
    });
  });
  const listModels = ({ headers, signal }: Request, exchange: Exchange) =>
    exchanges.run(exchange, () => router.list(toUpstreamHeaders(headers), signal));
  app.get('/v1/models', (context) =>
    track(context, '/v1/models', async (exchange, onEnd) => {
      const data = await listModels(context.req.raw, exchange);
      onEnd(200);
      return context.json({ object: 'list', data });
    }),
  );
  app.get('/v1/models/:id{.+}', (context) =>
    track(context, '/v1/models/{id}', async (exchange, onEnd) => {
      const id = context.req.param('id');
      const found = (await listModels(context.req.raw, exchange)).find((model) => model.id === id);
      if (!found) throw toUnknownModel(id);
      onEnd(200);
      return context.json(found);
    }),
  );
  for (const path of ['/chat/completions', '/completions'] as const) {
    app.post(`/v1${path}`, (context) =>
      track(context, `/v1${path}`, (exchange, onEnd) =>
        answerCompletion(parts, {
          path,
          request: context.req.raw,
          exchange,
          breakOff: () => context.env.breakOff(),
          isStuck: () => context.env.isStuck(),
          onEnd,
        }),
      ),
    );
  }

  app.notFound((context) => {
    const { path, method } = context.req;
    const allowed = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
    const error = allowed
      ? new ApiError(405, 'method_not_allowed', `${path} takes ${allowed}.`, { headers: { allow: allowed } })
      : new ApiError(404, 'unknown_url', `There are ${Object.keys(ROUTES).join(', ')} here.`);
    metrics.requests.inc({ route: allowed ? path : 'unknown', upstream: '', status: error.status });
    log.debug({ method, status: error.status }, 'request to no route');
    return error.toResponse();
  });
  app.onError((error) => {
    if (!(error instanceof ApiError))
      log.error({ error: error.name, stack: stackOf(error) }, 'the gateway failed');
    return toApiError(error).toResponse();
  });

  /** Runs what answers, between the checks that come first and the line that is logged at the end. */
  async function track(
    { req, env }: Context<Env>,
    route: string,
    answer: (exchange: Exchange, onEnd: (status: number) => void) => Promise<Response>,
  ): Promise<Response> {
    const exchange: Exchange = {
      id: `req_${randomUUID()}`,
      route,
      startedAt: performance.now(),
      queuedMs: 0,
      upstream: '',
      problems: new Map(),
    };
    const end = (status: number) => logEnd(parts, exchange, status);
    try {
      if (isClosing())
        throw new ApiError(503, 'shutting_down', 'The gateway is shutting down.', {
          headers: { 'retry-after': '1', connection: 'close' },
        });
      checkKey(req.raw.headers);
      return await answer(exchange, end);
    } catch (error) {
      if (req.raw.signal.aborted) {
        end(499);
        // Nobody is there to read it.
        env.breakOff();
        return new Response(null, { status: 499 });
      }
      const known = toApiError(error);
      exchange.failure = known.code;
      if (!(error instanceof ApiError))
        log.error(
          { id: exchange.id, error: (error as Error).name, stack: stackOf(error) },
          'the gateway failed',
        );
      end(known.status);
      const response = known.toResponse();
      response.headers.set('x-request-id', exchange.id);
      return response;
    }
  }

  return app;
}

/**
 * A page in a browser can send here without being asked to (a plain POST needs no permission), and spend the
 * owner's tokens: it needs to be known.
 */
function checkOrigin({ headers }: Request, isAllowed: CheckOrigin): void {
  const origin = headers.get('origin');
  if (origin === null || isAllowed(origin)) return;
  throw new ApiError(
    403,
    'origin_not_allowed',
    origin === 'null'
      ? // Any page can be one of those, in a frame.
        'Pages without an origin, such as files, may not call this gateway; only --allow-origin "*" lets them.'
      : `Pages of ${JSON.stringify(origin.slice(0, 100))} may not call this gateway; --allow-origin lets them.`,
  );
}

function logEnd({ log, metrics }: AppParts, exchange: Exchange, status: number): void {
  const { id, route, upstream, model, startedAt, firstOutAt, queuedMs, problems, failure } = exchange;
  metrics.requests.inc({ route, upstream, status });
  const line = {
    id,
    route,
    status,
    ...(upstream !== '' && { upstream }),
    ...(model !== undefined && { model: toLogged(model) }),
    ms: Math.round(performance.now() - startedAt),
    ...(firstOutAt !== undefined && { firstMs: Math.round(firstOutAt - startedAt) }),
    ...(queuedMs >= 1 && { queuedMs: Math.round(queuedMs) }),
    ...(problems.size > 0 && { problems: Object.fromEntries(problems) }),
    ...(failure !== undefined && { failure }),
  };
  if (status >= 500 || failure !== undefined) log.warn(line, 'request failed');
  else log.info(line, 'request');
}

/** The text of a client, cut, and without what would act on a terminal. */
function toLogged(text: string): string {
  return text.slice(0, 100).replace(/\p{C}/gu, '\ufffd');
}

/** Where it happened, without the message: that may hold anything. */
function stackOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? '') : '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
}
