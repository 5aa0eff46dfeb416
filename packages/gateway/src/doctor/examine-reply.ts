import { isObject, textOf } from '../json.ts';
import type { Failure, Reply } from './endpoint.ts';
import { examineCalls } from './examine-calls.ts';
import { examineText } from './examine-text.ts';
import { excerpt, type FaultCode, type Finding } from './faults.ts';
import type { ProbeContext } from './probe.ts';
import type { Chat } from './read-chat.ts';
import type { Wire } from './read-wire.ts';

/** Characters: a shorter text may well come in one delta. */
const LONG_TEXT = 200;

/** Milliseconds, and chunks: of less than that nobody can say that it was held back. */
const LONG_STREAM = { ms: 2000, chunks: 20 };

/**
 * Everything that can be seen in a reply whatever was asked: failures, the connection, the fields of text,
 * the calls, finish reason and usage.
 *
 * @param taken ids of earlier calls of the conversation
 */
export function examineReply(
  reply: Reply,
  { slowMs, profile }: ProbeContext,
  taken: readonly string[] = [],
): Finding[] {
  const { request, chat, wire, failure } = reply;
  const findings = reply.mended.map((mended) => toFinding(mended, '-at-times'));
  if (failure) return [...findings, toFinding(failure, '')];
  if (reply.broken)
    findings.push({ code: 'connection-cut', detail: `after ${chat?.pieces.length ?? 0} chunks` });
  if (reply.firstByteMs > slowMs) {
    findings.push({ code: 'slow-first-byte', detail: `${Math.round(reply.firstByteMs)} ms` });
  }
  if (request.stream === true && !wire && !reply.broken) findings.push({ code: 'stream-ignored' });
  if (wire) findings.push(...examineWire(wire, reply));
  if (!chat) return findings;
  const wasCut = reply.broken || chat.error !== undefined || chat.finishReasons.includes('length');
  return [
    ...findings,
    ...examineText(chat, wasCut),
    ...examineFields(chat),
    ...examineCalls(chat, { taken, wasCut, hasNativeIds: profile.grammar === 'k2' }),
    ...(reply.broken || chat.error !== undefined ? [] : examineEnd(chat)),
  ];
}

/** What a failure is called; one that passed is called `…-at-times`. */
export function toFinding(failure: Failure, suffix: '' | '-at-times'): Finding {
  const { kind, status = 0, error, isHtml, message } = failure;
  const detail = excerpt(kind === 'status' ? `${status}: ${message}` : message);
  return { code: toCode(), detail };

  function toCode(): FaultCode {
    if (kind === 'timeout') return 'no-answer-in-time';
    if (kind === 'reset') return `connection-reset${suffix}`;
    if (status === 429) return `rate-limited${suffix}`;
    if (isHtml && suffix === '') return 'html-error-page';
    if (status >= 500) return `server-error${suffix}`;
    const isToolUse = error?.code === 'tool_use_failed' || error?.failed_generation !== undefined;
    return isToolUse ? 'tool-use-failed' : 'request-refused';
  }
}

function examineWire(wire: Wire, reply: Reply): Finding[] {
  const { chat, broken } = reply;
  const findings: Finding[] = [];
  const add = (code: FaultCode, detail?: string): void => void findings.push({ code, detail });
  if (wire.byteOrderMark) add('byte-order-mark');
  if (wire.carriageReturns) add('lines-end-in-crlf');
  if (wire.tight) add('no-space-behind-data');
  if (wire.comments) add('keep-alive-comments');
  if (wire.otherFields.length > 0) add('event-fields', wire.otherFields.join(', '));
  if (wire.strange.length > 0 && !broken) add('data-not-json', excerpt(wire.strange[0] ?? ''));
  if (chat?.error !== undefined) add('error-in-stream', excerpt(chat.error));
  else if (!wire.done && !broken) add('done-missing');
  const { firstByteMs, headersMs, totalMs } = reply;
  const waited = firstByteMs - headersMs;
  if (totalMs > LONG_STREAM.ms && wire.chunks.length > LONG_STREAM.chunks && waited > 0.9 * totalMs) {
    add('stream-held-back', `${Math.round(waited)} of ${Math.round(totalMs)} ms`);
  }
  return findings;
}

/** Which fields the server uses, and how text is spread over them. */
function examineFields({ reasoningContent, reasoning, content, streamed, pieces }: Chat): Finding[] {
  const findings: Finding[] = [];
  if (reasoning !== '') {
    findings.push({ code: reasoningContent === '' ? 'reasoning-field' : 'reasoning-in-both-fields' });
  }
  const texts = pieces.map((piece) => textOf(piece.content)).filter((text) => text !== '');
  if (streamed && texts.length === 1 && content.length > LONG_TEXT) findings.push({ code: 'text-at-once' });
  return findings;
}

/** How a reply ends that came whole. */
function examineEnd(chat: Chat): Finding[] {
  const { calls, content, finishReasons, usage, usageOnChoice } = chat;
  const [finish] = finishReasons;
  const thought = chat.reasoningContent || chat.reasoning;
  const findings: Finding[] = [];
  if (finish === undefined) findings.push({ code: 'finish-missing' });
  if (finishReasons.length > 1) findings.push({ code: 'finish-repeated', detail: finishReasons.join(', ') });
  if (calls.length > 0 && finish !== undefined && finish !== 'tool_calls' && finish !== 'length') {
    findings.push({ code: 'finish-not-tool-calls', detail: finish });
  }
  const hasText = content.trim() !== '' || /<\/think>|<\|/.test(thought);
  if (calls.length === 0 && finish === 'tool_calls') {
    findings.push({ code: 'calls-missing' });
  } else if (calls.length === 0 && !hasText && finish !== 'length') {
    findings.push({ code: 'empty-turn', detail: thought === '' ? 'nothing at all' : 'a thought alone' });
  }
  if (usageOnChoice) findings.push({ code: 'usage-in-choices' });
  if (!isObject(usage) && !usageOnChoice) findings.push({ code: 'usage-missing' });
  return findings;
}
