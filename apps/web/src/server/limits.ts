/** UTF-16 units of one question. */
export const textLimit = 8_000;

/** Messages of one conversation. */
export const messageLimit = 200;

/** Bytes of one request. */
export const bodyLimit = 1_000_000;
