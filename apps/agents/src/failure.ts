/** UTF-16 units; some servers answer with a whole page. */
const lengthLimit = 1_000;

/**
 * What went wrong, in one line: the message of an error and of what caused it. Whatever a server
 * repeats in its messages, the key is not in it.
 */
export function describeFailure(error: unknown, secret: string | undefined): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    const message = current.message.replace(/\.$/, '');
    if (message !== '' && !messages.includes(message)) messages.push(message);
  }
  const whole = messages.join(': ') || String(error);
  const text = secret ? whole.replaceAll(secret, '[key]') : whole;
  return text.replace(/\s+/g, ' ').trim().slice(0, lengthLimit);
}
