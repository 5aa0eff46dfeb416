import type { Behaviour, Failure, RequestBody } from './behaviour.ts';
import { type Chunk, chunksBeforeMiddle, type Usage } from './chunk.ts';
import type { Connection } from './connection.ts';
import { errorBody } from './errors.ts';
import type { EngineOptions } from './options.ts';
import {
  type ChunkHead,
  editText,
  readReply,
  toChatChoice,
  toChatChunks,
  toUsageChunk,
} from './render-chat.ts';
import { stopAt, toTextChunks } from './render-text.ts';
import type { RequestRecord } from './request-record.ts';
import { recut, type Turn, turnPieces, turnUsage } from './script.ts';
import { plainWire, toEvent, type WireStyle } from './sse.ts';

/** Everything that says how one request is answered. */
export interface Answering {
  readonly options: EngineOptions;
  readonly record: RequestRecord;
  readonly connection: Connection;
  readonly body: RequestBody;
  readonly turn: Turn;
  readonly rows: readonly Behaviour[];
  /** The number of the request, for the id of the answer. */
  readonly count: number;
}

const json = { 'content-type': 'application/json' };

/** All answers are of one moment, so that they compare equal: the start of 2026. */
const created = 1_767_225_600;

const brokenReply = 'The engine failed while it was generating';

/** Answers a chat request with a turn, as the behaviours have it. */
export async function answerChat(answering: Answering): Promise<void> {
  const { options, turn, rows, body } = answering;
  const pieces = recut(editText(turnPieces(turn), rows), options.chunking ?? 'pieces');
  const usage = turnUsage(turn, pieces, body);
  const reply = readReply(pieces, turn.finishReason, rows, body);
  const head = headOf(answering, 'chatcmpl');
  const choices = choiceNumbers(body);
  if (body.stream === true) {
    await stream(
      answering,
      choices.flatMap((index) => editChunks(toChatChunks(reply, index, head), rows, usage)),
      usageChunk(body, usage, head, 'chat.completion.chunk'),
    );
    return;
  }
  await sendCompletion(answering, {
    ...head,
    object: 'chat.completion',
    choices: choices.map((index) =>
      rows.reduce((choice, row) => row.editChoice?.(choice, usage) ?? choice, toChatChoice(reply, index)),
    ),
    usage,
  });
}

/** Answers a text completion request with the raw text of a turn. */
export async function answerCompletion(answering: Answering): Promise<void> {
  const { options, turn, rows, body } = answering;
  const pieces = recut(stopAt(editText(turnPieces(turn), rows), body), options.chunking ?? 'pieces');
  const usage = turnUsage(turn, pieces, body);
  const finishReason = turn.finishReason ?? 'stop';
  const head = headOf(answering, 'cmpl');
  const choices = choiceNumbers(body);
  if (body.stream === true) {
    await stream(
      answering,
      choices.flatMap((index) => editChunks(toTextChunks(pieces, finishReason, index, head), rows, usage)),
      usageChunk(body, usage, head, 'text_completion'),
    );
    return;
  }
  await sendCompletion(answering, {
    ...head,
    object: 'text_completion',
    choices: choices.map((index) => ({ index, text: pieces.join(''), finish_reason: finishReason })),
    usage,
  });
}

/** Answers with a failure instead of a reply. */
export function answerFailure({ connection, turn }: Answering, { answer }: Failure): void {
  if (answer === 'reset') {
    connection.break('reset');
    return;
  }
  connection.send(answer.status, answer.headers, answer.body(turnPieces(turn).join('')));
}

async function stream(answering: Answering, chunks: readonly Chunk[], last: readonly Chunk[]): Promise<void> {
  const { options, record, connection } = answering;
  const style = wireOf(answering.rows);
  if (style.slowStart) await connection.wait(options.slowMs ?? 500);
  connection.begin(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const [at, data] of toEvents(chunks, last, style).entries()) {
    await connection.wait(at === 0 ? 0 : (options.delayMs ?? 0));
    await connection.write(toEvent(data, at, style), options.byteCuts);
    record.eventsSent += 1;
  }
  if (style.ending === 'cut') connection.break('close');
  else connection.end();
}

/** The data of all events that are written. */
function toEvents(chunks: readonly Chunk[], last: readonly Chunk[], { ending }: WireStyle): string[] {
  const toData = (list: readonly Chunk[]): string[] => list.map((chunk) => JSON.stringify(chunk));
  const untilBreak = (): string[] => toData(chunks.slice(0, chunksBeforeMiddle(chunks)));
  if (ending === 'cut') return untilBreak();
  if (ending === 'error') return [...untilBreak(), errorBody(500, brokenReply)];
  return [...toData([...chunks, ...last]), ...(ending === 'done' ? ['[DONE]'] : [])];
}

async function sendCompletion({ options, connection, rows }: Answering, completion: object): Promise<void> {
  const style = wireOf(rows);
  await connection.wait(style.slowStart ? (options.slowMs ?? 500) : 0);
  await connection.wait(options.delayMs ?? 0);
  const body = JSON.stringify(completion);
  if (style.ending === 'error') {
    connection.send(500, json, errorBody(500, brokenReply));
  } else if (style.ending === 'cut') {
    connection.begin(200, { ...json, 'content-length': String(Buffer.byteLength(body)) });
    await connection.write(body.slice(0, body.length / 2));
    connection.break('close');
  } else {
    connection.send(200, json, body);
  }
}

function editChunks(chunks: readonly Chunk[], rows: readonly Behaviour[], usage: Usage): readonly Chunk[] {
  return rows.reduce((current, row) => row.editChunks?.(current, usage) ?? current, chunks);
}

function wireOf(rows: readonly Behaviour[]): WireStyle {
  return Object.assign({}, plainWire, ...rows.map((row) => row.wire)) as WireStyle;
}

function headOf({ body, count }: Answering, prefix: string): ChunkHead {
  return { id: `${prefix}-${count}`, created, model: String(body.model) };
}

function choiceNumbers({ n }: RequestBody): number[] {
  return Array.from({ length: Number(n ?? 1) }, (_, index) => index);
}

function usageChunk(body: RequestBody, usage: Usage, head: ChunkHead, object: Chunk['object']): Chunk[] {
  const { include_usage } = (body.stream_options ?? {}) as { include_usage?: unknown };
  return include_usage === true ? [toUsageChunk(usage, head, object)] : [];
}
