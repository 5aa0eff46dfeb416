import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Order, planReply, toMarkup } from './conversation.ts';

export interface FaultyUpstream {
  baseURL: string;
  stop(): void;
}

/** A server for chat that leaves calls as raw tokens in the content, and does wrong what it is asked to. */
export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(parts).toString());
      answer(JSON.parse(messages[0].content), response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(order: Order, response: ServerResponse): Promise<void> {
  const { fault } = order;
  if (fault === 'status') {
    response.writeHead(503, { 'content-type': 'text/html' });
    response.end('<html>no</html>');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { pieces, args } = planReply(order);
  const middle = Math.floor(pieces.length / 2);
  for (const [at, piece] of [...pieces, ...(toMarkup(args).match(/[\s\S]{1,7}/g) ?? [])].entries()) {
    if (response.destroyed) return;
    if (at === middle && fault !== 'none') {
      if (fault === 'reset') return void response.socket?.resetAndDestroy();
      if (fault === 'early-end') return void response.end();
      // Whoever waits gives up first.
      if (fault === 'stall') return;
      response.write(
        'data: {"choices": [{"delta": {"content": "\n\ndata: keep-alive\n\n: comment\n\nevent: ping\n\n',
      );
    }
    response.write(toEvent({ content: piece }, null));
    // A few at a time, as servers under load do; some cut in the middle of an event.
    if (at % 4 === 3) await sleep(20);
  }
  response.write(toEvent({}, 'stop'));
  response.end('data: [DONE]\n\n');
}

function toEvent(delta: object, finish_reason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'kimi-k2', choices })}\n\n`;
}
