import { KimiEmptyTurnError } from '@kimi-tc/ai-sdk';
import { APICallError, RetryError } from 'ai';

/** UTF-16 units; some servers answer with a whole page. */
const detailLimit = 300;

const cutText =
  'The connection to the server broke in the middle of the reply. What had arrived is kept; nothing of a cut call ran.';

/**
 * What went wrong, for the person at the screen: what happened first, then what the server said.
 *
 * @param secret is taken out, whoever repeats it
 */
export function explainError(error: unknown, secret?: string): string {
  const text = explain(RetryError.isInstance(error) ? error.lastError : error);
  return secret ? text.replaceAll(secret, '[key]') : text;
}

function explain(error: unknown): string {
  if (KimiEmptyTurnError.isInstance(error)) {
    return error.code === 'empty-turn'
      ? 'The model ended its reply after thinking, without an answer. Trying again often helps.'
      : 'The limit of tokens was used up before the model stopped thinking.';
  }
  if (!APICallError.isInstance(error)) return explainOther(error);
  const { statusCode } = error;
  if (statusCode === undefined) return 'The server cannot be reached, or it closed the connection.';
  // The reply had begun.
  if (statusCode < 400) return cutText;
  return `${describeStatus(statusCode)}${quote(error.message)}`;
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return 'The server refuses the key.';
  if (status === 404) return 'The server does not know the address or the model.';
  if (status === 429) return 'The server is asked too much at the moment. Try again in a while.';
  if (status < 500) return `The server refuses the request (status ${status}).`;
  return `The server has trouble of its own (status ${status}).`;
}

function explainOther(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/terminated|closed|reset|aborted|fetch failed|socket|premature/i.test(message)) {
    return cutText;
  }
  return `The reply ended with an error.${quote(message)}`;
}

function quote(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (line === '' || line.startsWith('<')) return '';
  return ` It says: ${line.length > detailLimit ? `${line.slice(0, detailLimit)}…` : line}`;
}
