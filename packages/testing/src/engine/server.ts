import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Answering, answerChat, answerCompletion, answerFailure } from './answer.ts';
import type { RequestBody } from './behaviour.ts';
import { combineBehaviours } from './behaviours.ts';
import { type Connection, Gone, openConnection } from './connection.ts';
import { errorBody } from './errors.ts';
import type { EngineOptions } from './options.ts';
import type { RequestRecord } from './request-record.ts';
import { selectTurn, type Turn, turnNumber } from './script.ts';
import { refuseChat, refuseCompletion } from './validate-request.ts';

const json = { 'content-type': 'application/json' };

/** A request that is answered with an error. */
class Refusal extends Error {
  readonly status: number;
  readonly code: string | null;

  constructor(status: number, message: string, code: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Route {
  readonly method: 'GET' | 'POST';
  answer(context: Context): void | Promise<void>;
}

interface Context {
  readonly options: EngineOptions;
  readonly record: RequestRecord;
  readonly connection: Connection;
  readonly count: number;
  /** Requests that have had their failure, for behaviours that fail once. */
  readonly failed: Set<string>;
}

const routes: Readonly<Record<string, Route>> = {
  '/v1/models': { method: 'GET', answer: listModels },
  '/v1/chat/completions': { method: 'POST', answer: (context) => complete(context, refuseChat, answerChat) },
  '/v1/completions': {
    method: 'POST',
    answer: (context) => complete(context, refuseCompletion, answerCompletion),
  },
};

/**
 * The engine as a request listener.
 *
 * @param requests gets a record of each request as it comes in
 * @param stopping aborted when the engine stops
 */
export function createListener(
  options: EngineOptions,
  requests: RequestRecord[],
  stopping: AbortSignal,
): RequestListener {
  const failed = new Set<string>();
  return (req, res) => {
    const record = toRecord(req);
    requests.push(record);
    const connection = openConnection(res, record, stopping);
    void serve(req, res, { options, record, connection, failed, count: requests.length });
  };
}

async function serve(req: IncomingMessage, res: ServerResponse, context: Context): Promise<void> {
  const { record, connection } = context;
  try {
    record.body = await readBody(req);
    checkKey(context);
    await findRoute(record).answer(context);
  } catch (error) {
    if (error instanceof Gone || connection.signal.aborted) return;
    const { status, message, code } = error instanceof Refusal ? error : new Refusal(500, messageOf(error));
    record.error = message;
    if (res.headersSent) connection.break('close');
    else connection.send(status, json, errorBody(status, message, { code }));
  }
}

function toRecord(req: IncomingMessage): RequestRecord {
  return {
    method: req.method ?? '',
    path: (req.url ?? '').replace(/\?.*/s, ''),
    headers: req.headers,
    body: undefined,
    eventsSent: 0,
    aborted: false,
    finished: false,
  };
}

async function readBody(req: IncomingMessage): Promise<unknown> {
  const bytes: Buffer[] = [];
  for await (const piece of req) bytes.push(piece as Buffer);
  const text = Buffer.concat(bytes).toString('utf8');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function checkKey({ options, record }: Context): void {
  if (options.apiKey === undefined || record.headers.authorization === `Bearer ${options.apiKey}`) return;
  throw new Refusal(401, 'Invalid Authentication');
}

function findRoute({ method, path }: RequestRecord): Route {
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) throw new Refusal(404, `unknown route ${method} ${path}`, 'unknown_url');
  if (route.method !== method) throw new Refusal(405, `${path} takes ${route.method}, not ${method}`);
  return route;
}

function listModels({ options, connection }: Context): void {
  const data = (options.models ?? ['kimi-k2-thinking']).map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'kimi-tc',
  }));
  connection.send(200, json, JSON.stringify({ object: 'list', data }));
}

async function complete(
  context: Context,
  refuse: (body: unknown) => string | undefined,
  answer: (answering: Answering) => Promise<void>,
): Promise<void> {
  const { options, record, connection, count } = context;
  const complaint = refuse(record.body);
  if (complaint !== undefined) throw new Refusal(400, complaint);
  const body = record.body as RequestBody;
  checkModel(options, body);
  record.turn = turnNumber(body);
  await expectOf(() => options.onRequest?.(record));
  const turn = await expectOf(() => selectTurn(options.script, record));
  await expectOf(() => turn.expect?.(record));
  const rows = combineBehaviours(turn.behaviour ?? options.behaviour ?? 'healthy');
  for (const row of rows) {
    const rule = row.refuse?.(body);
    if (rule !== undefined) throw new Refusal(400, rule);
  }
  const answering: Answering = { options, record, connection, body, turn, rows, count };
  const failure = rows.find((row) => row.failure)?.failure;
  if (failure && (!failure.once || isFirst(context, body, turn))) answerFailure(answering, failure);
  else await answer(answering);
}

function checkModel({ models }: EngineOptions, { model }: RequestBody): void {
  if (models === undefined || models.includes(String(model))) return;
  throw new Refusal(404, `Not found the model ${String(model)}`, 'model_not_found');
}

/** Runs what the user of the engine wrote; what it throws is the client's to know. */
async function expectOf<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw new Refusal(400, messageOf(error));
  }
}

/** Whether these messages come for the first time. */
function isFirst({ failed, record }: Context, body: RequestBody, turn: Turn): boolean {
  const key = JSON.stringify([record.turn, turn.behaviour, body.messages ?? body.prompt]);
  if (failed.has(key)) return false;
  failed.add(key);
  return true;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
