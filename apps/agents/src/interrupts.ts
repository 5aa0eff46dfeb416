/** Signals that end a run, and the exit codes that tell of them. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Milliseconds in which the same key press arrives again, by way of a parent process. */
const echo = 500;

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Set as soon as there was one. */
  readonly exitCode: number | undefined;
}

/**
 * Turns ctrl-c into an abort. Pressed again, it ends the process at once.
 */
export function listenToInterrupts(): Interrupts {
  const controller = new AbortController();
  let exitCode: number | undefined;
  let first = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted && Date.now() - first > echo) process.exit(exitCodes[name]);
      if (controller.signal.aborted) return;
      first = Date.now();
      exitCode = exitCodes[name];
      controller.abort();
    });
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
  };
}
