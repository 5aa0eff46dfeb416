import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from './create-log.ts';
import type { Metrics } from './metrics.ts';
import { type RecordedReply, toCase } from './to-case.ts';

/** One reply of an upstream, as it comes. */
export interface Recording {
  write(bytes: Uint8Array): void;
  /** The reply is over, whole or broken off: it is written in the background. */
  end(): void;
}

export interface Recorder {
  /**
   * @param request the body that was sent
   * @param status errors are no replies
   */
  start(request: string, status: number): Recording | undefined;
  /** Resolves when all files are written. */
  close(): Promise<void>;
}

/** Replies that are longer are not recorded: nobody reads such a report. */
const MOST_BYTES = 8 * 2 ** 20;

const TOPIC = 'recorded';

/**
 * Writes replies into `FOLDER/recorded`, one case of the corpus each (`packages/testing/cases/README.md`): what
 * the upstream sent, redacted, and the turn that comes of it. A recording that fails is logged and counted, and
 * disturbs no reply.
 *
 * @throws if the folder cannot be made
 */
export function createRecorder(folder: string, log: Log, metrics: Metrics): Recorder {
  mkdirSync(join(folder, TOPIC), { recursive: true, mode: 0o700 });
  const writing = new Set<Promise<void>>();

  async function save(reply: RecordedReply): Promise<void> {
    const stamp = new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
    const id = `recorded-${stamp}-${randomBytes(4).toString('hex')}`;
    const file = join(folder, TOPIC, `${id}.json`);
    try {
      const found = await toCase(reply, { id, topic: TOPIC });
      if (!found) return metrics.recordings.inc({ result: 'skipped' });
      // Whoever lists the folder sees whole files only.
      await writeFile(`${file}.part`, `${JSON.stringify(found, undefined, 2)}\n`, { mode: 0o600 });
      await rename(`${file}.part`, file);
      metrics.recordings.inc({ result: 'written' });
    } catch (error) {
      metrics.recordings.inc({ result: 'failed' });
      const { name, code } = error as NodeJS.ErrnoException;
      log.warn({ error: name, code }, 'a reply could not be recorded');
    }
  }

  return {
    start(request, status) {
      if (status !== 200) return undefined;
      const parts: Uint8Array[] = [];
      let size = 0;
      let over = false;
      return {
        write(bytes) {
          size += bytes.length;
          if (size <= MOST_BYTES) parts.push(bytes);
          else parts.length = 0;
        },
        end() {
          if (over) return;
          over = true;
          if (size > MOST_BYTES) return metrics.recordings.inc({ result: 'skipped' });
          const text = new TextDecoder().decode(Buffer.concat(parts));
          const saved = save({ request, text }).finally(() => writing.delete(saved));
          writing.add(saved);
        },
      };
    },
    async close() {
      await Promise.all(writing);
    },
  };
}
