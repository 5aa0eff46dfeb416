/** Unlike those of servers, some of which give every reply the same one, it is never given twice. */
export function createMessageId(): string {
  return `msg-${crypto.randomUUID()}`;
}
