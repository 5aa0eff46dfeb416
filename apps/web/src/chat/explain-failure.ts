/** A failure as `useChat` reports it, for the person at the screen. */
export function explainFailure({ message }: Error): string {
  if (/failed to fetch|networkerror|load failed/i.test(message)) {
    return 'The server of this page cannot be reached. Is it still running?';
  }
  return message.trim() === '' || message.startsWith('<')
    ? 'Something failed on the server of this page.'
    : message;
}
