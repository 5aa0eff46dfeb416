/** Rejects as `fetch` does: a store that is slow holds nobody who has left. */
export async function untilAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return value;
  let leave = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
  });
  try {
    return await Promise.race([value, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
