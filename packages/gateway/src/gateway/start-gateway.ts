import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ApiError, toApiError } from './api-error.ts';
import { trackConnections } from './connections.ts';
import { createApp } from './create-app.ts';
import type { Log } from './create-log.ts';
import { createKeyCheck } from './gateway-keys.ts';
import { createMetrics } from './metrics.ts';
import { createModelRouter } from './model-router.ts';
import { createRecorder } from './recording.ts';
import type { Settings } from './settings.ts';
import { createOwnMemory, createSharedMemory } from './shared-memory.ts';
import { createSlots } from './slots.ts';
import { createUpstream } from './upstream.ts';

/** A gateway that listens. */
export interface Gateway {
  /** `http://HOST:PORT` */
  url: string;
  /**
   * Takes no new requests, and resolves when those that are open have ended, at the latest after
   * `timeouts.shutdownMs`: then they are broken off. May be called again.
   */
  close(): Promise<void>;
}

/** @throws NodeJS.ErrnoException if it cannot listen, or the folder for recordings cannot be made */
export async function startGateway(settings: Settings, log: Log): Promise<Gateway> {
  const { limits, timeouts, listen, origins } = settings;
  const slots = createSlots({ ...limits, queueMs: timeouts.queueMs });
  const metrics = createMetrics(slots);
  const recorder = settings.record === undefined ? undefined : createRecorder(settings.record, log, metrics);
  const shared = settings.redis === undefined ? undefined : createSharedMemory(settings.redis, log, metrics);
  const memory = shared ?? createOwnMemory();
  const upstreams = settings.upstreams.map((own) => createUpstream(own, { settings, memory, metrics }));
  let closing: Promise<void> | undefined;
  const app = createApp({
    log,
    metrics,
    slots,
    recorder,
    origins,
    bodyLimit: limits.bodyBytes,
    router: createModelRouter(upstreams),
    checkKey: createKeyCheck(settings.gatewayKeys),
    isClosing: () => closing !== undefined,
  });

  /** Responses whose clients did not read them. */
  const stuck = new WeakSet<object>();
  const listener = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const response = await app.fetch(request, {
        breakOff: () => breakOff(outgoing),
        isStuck: () => stuck.has(outgoing),
      });
      // Older clients know no chunks; to them a body ends with the connection (RFC 9112, 6.1).
      if (incoming.httpVersion === '1.0') response.headers.delete('transfer-encoding');
      return response;
    },
    {
      overrideGlobalObjects: false,
      // Older clients name no host.
      hostname: 'localhost',
      errorHandler: (error) => {
        const known =
          error instanceof ApiError
            ? error
            : new ApiError(400, 'bad_request', 'The request line or its headers are malformed.');
        return known.toResponse();
      },
    },
  );
  function answer(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('x-content-type-options', 'nosniff');
    // A connection that is kept would keep a closing server from ending.
    if (closing) response.setHeader('connection', 'close');
    connections.add(response);
    response.on('close', () => {
      if (closing) setImmediate(connections.closeIdle);
    });
    // By now nothing has moved on the connection for so long; where nothing is to be written, the upstream is slow.
    response.setTimeout(timeouts.idleMs, () => {
      if (!response.socket?.writableLength) return;
      stuck.add(response);
      response.socket.destroy();
    });
    void listener(request, response);
  }

  const server = createServer(answer);
  // What is too large is refused before it is sent.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!(Number(request.headers['content-length']) > limits.bodyBytes)) response.writeContinue();
    answer(request, response);
  });
  // What else a client may expect is for it to find out (RFC 9110, 10.1.1).
  server.on('checkExpectation', answer);
  server.on('clientError', answerMalformed);
  server.on('connection', (socket) => socket.setNoDelay(true));
  const connections = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { address, port, family } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    connections.closeIdle();
    const timer = setTimeout(() => {
      log.warn({ open: slots.running }, 'open replies are broken off');
      server.closeAllConnections();
    }, timeouts.shutdownMs);
    await closed;
    clearTimeout(timer);
    await Promise.all([recorder?.close(), ...upstreams.map((upstream) => upstream.close())]);
    shared?.close();
    metrics.registry.clear();
  }

  return {
    url,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Ends the connection without ending the answer, behind what was written of it. */
function breakOff({ socket }: { socket: Socket | null }): void {
  // An answer in chunks gathers what is written in one turn of the event loop.
  setImmediate(() => socket?.destroySoon());
}

/** What the HTTP parser refuses: a request that is cut, doubled lengths, headers without end. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const known = toApiError(new ApiError(status, 'bad_request', `The request is malformed (${error.code}).`));
  const body = JSON.stringify(known.toBody());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
