/** The command cannot run as it was called. The message names what is wrong and what was expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}
