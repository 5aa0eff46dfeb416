// The process that `startLoopback` starts: it is sent the replies, and sends back its port.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { GO_ON, REPLY_HEADER, type Reply } from './loopback.ts';

interface Answer {
  response: ServerResponse;
  writes: readonly Uint8Array[];
}

const replies = new Map<string, Reply & { bytes: Uint8Array[] }>();
let waiting: Answer[] = [];
let goOn = () => {};

const server = createServer((request, response) => {
  request.resume();
  const name = String(request.headers[REPLY_HEADER]);
  if (name === GO_ON) {
    goOn();
    return void response.end();
  }
  const [only, ...others] = replies.values();
  // Gateways pass no headers that they do not know.
  const reply = replies.get(name) ?? (others.length === 0 ? only : undefined);
  if (!reply) return void response.writeHead(404).end();
  const answer = { response, writes: reply.bytes };
  if (reply.together === undefined) return void write([answer]);
  response.shouldKeepAlive = false;
  waiting.push(answer);
  if (waiting.length < reply.together) return;
  const answers = waiting;
  waiting = [];
  void write(answers, new Promise((resolve) => (goOn = resolve)));
});

/**
 * With a pause behind each round, long enough for the client to read what there is: `fetch` hands on in
 * one piece what has come since.
 */
async function write(answers: readonly Answer[], begun?: Promise<void>): Promise<void> {
  for (const { response } of answers) response.writeHead(200, { 'content-type': 'text/event-stream' });
  const most = Math.max(...answers.map(({ writes }) => writes.length));
  for (let at = 0; at < most; at++) {
    for (const { response, writes } of answers) {
      const bytes = writes[at];
      if (bytes) response.write(bytes);
    }
    if (at === 0) await begun;
    if (at < most - 1) await setTimeout(1);
  }
  for (const { response } of answers) response.end();
}

// Never closes a connection that a client may be about to use again.
server.keepAliveTimeout = 0;

const [given] = (await once(process, 'message')) as [Record<string, Reply>];
for (const [name, reply] of Object.entries(given)) {
  replies.set(name, { ...reply, bytes: reply.writes.map((text) => Buffer.from(text)) });
}
server.listen(0, '127.0.0.1', 1024, () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
