import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkOptions, type EngineOptions } from './options.ts';
import type { EngineRequest, RequestRecord } from './request-record.ts';
import { createListener } from './server.ts';

/** A running pretend inference engine. */
export interface Engine {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string;
  /** `http://127.0.0.1:PORT/v1`, what clients of the OpenAI API call the base URL. */
  readonly baseURL: string;
  /** All requests in the order of their arrival. */
  readonly requests: readonly EngineRequest[];
  /** Closes all connections, whatever they are doing. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a pretend inference engine on a free port of the loopback interface: real HTTP and real
 * server-sent events, from a script instead of a model. It serves `POST /v1/chat/completions`,
 * `POST /v1/completions` and `GET /v1/models`. It does not keep the process alive.
 *
 * @throws TypeError if an option is wrong, or if a turn of the script cannot be read by its behaviour
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  checkOptions(options);
  const requests: RequestRecord[] = [];
  const stopping = new AbortController();
  const server = createServer(createListener(options, requests, stopping.signal));
  server.on('connection', (socket) => {
    socket.setNoDelay(true);
    socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopped = new Promise<void>((resolve) => {
    server.once('close', resolve);
  });
  return {
    url,
    baseURL: `${url}/v1`,
    requests,
    stop() {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      return stopped;
    },
  };
}
