/**
 * What went wrong, in one line: the message of an error and of what caused it. Whatever a server
 * repeats in its messages, the key is not in it.
 */
export function describeFailure(error: unknown, secret: string | undefined): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const { message } = current;
    if (message !== '' && !messages.includes(message)) messages.push(message);
  }
  const text = (messages.join(': ') || String(error)).replace(/\s+/g, ' ').trim();
  return secret ? text.replaceAll(secret, '[key]') : text;
}
