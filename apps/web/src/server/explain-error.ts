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
  return explain(RetryError.isInstance(error) ? error.lastError : error, secret);
}

/** What an error says itself, without the secret and cut to a length that a page can show. */
export function readMessage(error: unknown, secret: string | undefined): string {
  const message = hasMessage(error) ? error.message : String(error);
  // Before it is cut: half of a secret is too much as well.
  const told = secret ? message.replaceAll(secret, '[key]') : message;
  return told.length > detailLimit ? `${told.slice(0, detailLimit)}…` : told;
}

/** An error, or what a server put into its stream as one. */
function hasMessage(error: unknown): error is { readonly message: string } {
  return (
    typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
  );
}

function explain(error: unknown, secret: string | undefined): string {
  if (KimiEmptyTurnError.isInstance(error)) {
    return error.code === 'empty-turn'
      ? 'The model ended its reply after thinking, without an answer. Trying again often helps.'
      : 'The limit of tokens was used up before the model stopped thinking.';
  }
  if (!APICallError.isInstance(error)) return explainOther(error, secret);
  const { statusCode } = error;
  if (statusCode === undefined) return 'The server cannot be reached, or it closed the connection.';
  // The reply had begun.
  if (statusCode < 400) return cutText;
  return `${describeStatus(statusCode)}${quote(readMessage(error, secret))}`;
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return 'The server refuses the key.';
  if (status === 404) return 'The server does not know the address or the model.';
  if (status === 429) return 'The server is asked too much at the moment. Try again in a while.';
  if (status < 500) return `The server refuses the request (status ${status}).`;
  return `The server has trouble of its own (status ${status}).`;
}

function explainOther(error: unknown, secret: string | undefined): string {
  const message = readMessage(error, secret);
  if (/terminated|closed|reset|aborted|fetch failed|socket|premature/i.test(message)) {
    return cutText;
  }
  return `The reply ended with an error.${quote(message)}`;
}

function quote(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  if (line === '' || line.startsWith('<')) return '';
  return ` It says: ${line}`;
}
