import { fork } from 'node:child_process';
import { once } from 'node:events';

/** One reply, in the pieces that the server writes. */
export interface Reply {
  writes: string[];
  /**
   * Waits until so many requests are there, then all are answered at once, a piece of each in turn. Behind
   * the first piece it waits for a request with `GO_ON`.
   */
  together?: number;
}

/** The request header that names the reply that is wanted. */
export const REPLY_HEADER = 'x-reply';

/** Its value for no reply. */
export const GO_ON = 'go on';

export interface Loopback {
  baseURL: string;
  stop(): void;
}

/** Starts a server of these replies, in a process of its own: what it costs is not the client's. */
export async function startLoopback(replies: Readonly<Record<string, Reply>>): Promise<Loopback> {
  const server = fork(new URL('./loopback-server.ts', import.meta.url), { execArgv: [] });
  server.send(replies);
  const [port] = (await once(server, 'message')) as [number];
  return { baseURL: `http://127.0.0.1:${port}/v1`, stop: () => void server.kill() };
}

/** Several events in one piece. */
export function toWrites(events: readonly string[], eventsPerWrite: number): string[] {
  const writes: string[] = [];
  for (let at = 0; at < events.length; at += eventsPerWrite) {
    writes.push(events.slice(at, at + eventsPerWrite).join(''));
  }
  return writes;
}
