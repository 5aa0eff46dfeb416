import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a server, and what is under way on each. */
export interface Connections {
  /** Takes note of an exchange, until its response is closed. */
  add(response: ServerResponse): void;
  /**
   * Closes those on which nobody waits for a reply: what has come of a request there, if anything, is not whole. Node.js
   * leaves those open that have never sent a byte, as browsers hold them ready, and those that are in the middle of a request.
   */
  closeIdle(): void;
}

export function trackConnections(server: Server): Connections {
  const connections = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Set());
    socket.on('close', () => connections.delete(socket));
  });
  return {
    add(response) {
      const open = connections.get(response.req.socket);
      open?.add(response);
      response.on('close', () => open?.delete(response));
    },
    closeIdle() {
      for (const [socket, open] of connections) if (![...open].some(isAwaited)) socket.destroy();
    },
  };
}

function isAwaited({ req, headersSent }: ServerResponse): boolean {
  return req.complete || headersSent;
}
