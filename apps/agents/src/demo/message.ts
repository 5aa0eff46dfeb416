/** A message as it reached the server, where anything may stand. */
export type Message = Readonly<Record<string, unknown>>;
