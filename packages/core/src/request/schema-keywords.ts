/** Limits of the server's checker (MoonshotAI/walle as Moonshot runs it). */
export const LIMITS = { depth: 30, properties: 3000, enumValues: 1000, branches: 500, length: 120_000 };

/** Names that the server takes for keywords. */
export const RESERVED: readonly string[] = ['$defs', '$ref', 'anyOf', 'required', 'additionalProperties'];
