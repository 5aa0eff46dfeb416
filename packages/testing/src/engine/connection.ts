import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as yieldToEvents } from 'node:timers/promises';
import { type Cuts, cutBytes } from './cuts.ts';
import type { RequestRecord } from './request-record.ts';

/** The client is gone, or the engine stops: nobody waits for the rest of the answer. */
export class Gone extends Error {
  override readonly name: string = 'Gone';
}

/** One answer on its way out, and what became of it. */
export interface Connection {
  /** Aborted as soon as nobody waits any more. */
  readonly signal: AbortSignal;
  /** Resolves after so many milliseconds. @throws Gone */
  wait(ms: number): Promise<void>;
  /** A whole answer. @throws Gone */
  send(status: number, headers: Readonly<Record<string, string>>, body: string): void;
  /** The head of an answer that is then written piece by piece. */
  begin(status: number, headers: Readonly<Record<string, string>>): void;
  /** Resolves when the text is with the operating system. @throws Gone */
  write(text: string, byteCuts?: Cuts): Promise<void>;
  end(): void;
  /** Breaks the connection as a server does that dies. */
  break(how: 'close' | 'reset'): void;
}

/**
 * @param stopping aborted when the engine stops
 */
export function openConnection(
  res: ServerResponse,
  record: RequestRecord,
  stopping: AbortSignal,
): Connection {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  let broken = false;
  res.on('finish', () => {
    record.finished = !broken;
  });
  res.on('close', () => {
    record.aborted = !res.writableFinished && !broken && !stopping.aborted;
    gone.abort();
  });

  const assertThere = (): void => {
    if (signal.aborted) throw new Gone();
  };

  return {
    signal,
    async wait(ms) {
      assertThere();
      if (ms === 0) return;
      await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
      assertThere();
    },
    send(status, headers, body) {
      assertThere();
      record.status = status;
      res.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers });
      res.end(body);
    },
    begin(status, headers) {
      assertThere();
      record.status = status;
      res.writeHead(status, headers);
      res.flushHeaders();
    },
    async write(text, byteCuts) {
      const bytes = Buffer.from(text);
      for (const piece of byteCuts === undefined ? [bytes] : cutBytes(bytes, byteCuts)) {
        assertThere();
        await new Promise<void>((resolve, reject) => {
          res.write(piece, (error) => (error ? reject(new Gone()) : resolve()));
        });
        // Lets the client read this piece by itself, and lets us hear that it has left.
        await yieldToEvents();
      }
      assertThere();
    },
    end() {
      res.end();
    },
    break(how) {
      broken = true;
      if (how === 'reset') res.socket?.resetAndDestroy();
      else res.destroy();
    },
  };
}
