/**
 * Calls back after so many milliseconds, unless it is cancelled. What has come by then counts: after a long turn
 * of the event loop a timer is due before the sockets are looked at.
 */
export function startPatience(ms: number, onEnd: () => void): () => void {
  let isOver = false;
  const timer = setTimeout(() => {
    setImmediate(() => setImmediate(() => (isOver ? undefined : onEnd())));
  }, ms);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
