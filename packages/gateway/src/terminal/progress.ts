import cliProgress from 'cli-progress';

/** How far long work has come. */
export interface Progress {
  /** @param done in the unit of the total */
  update(done: number, note?: string): void;
  stop(): void;
}

const silent: Progress = { update: () => {}, stop: () => {} };

/** Short work needs no bar. */
const SHOWN_AFTER_MS = 400;

/**
 * A bar on the standard error output, if that is a terminal and nothing else is written there meanwhile.
 *
 * @param total absent: not known; only the note is shown
 */
export function createProgress(total: number | undefined, quiet: boolean): Progress {
  if (quiet || !process.stderr.isTTY) return silent;
  const bar = new cliProgress.SingleBar(
    {
      stream: process.stderr,
      format: total === undefined ? '{note}' : '{bar} {percentage} %  {note}',
      clearOnComplete: true,
      // Its handlers would swallow the first interrupt; without them nothing of the terminal may be changed.
      gracefulExit: false,
      hideCursor: false,
      linewrap: true,
      barsize: 30,
      etaBuffer: 50,
    },
    cliProgress.Presets.shades_grey,
  );
  const begun = Date.now();
  let shown = false;
  return {
    update(done, note = '') {
      if (!shown) {
        if (Date.now() - begun < SHOWN_AFTER_MS) return;
        bar.start(total ?? 1, 0, { note });
        shown = true;
      }
      bar.update(total === undefined ? 0 : Math.min(done, total), { note });
    },
    stop() {
      if (shown) bar.stop();
    },
  };
}
