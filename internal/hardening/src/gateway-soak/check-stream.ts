import { type Agent, request } from 'node:http';
import { type Order, planReply } from './conversation.ts';

/** How one stream went, or what was wrong with it. */
export type Verdict = 'whole' | 'failed-openly' | `wrong: ${string}`;

interface Seen {
  status: number;
  content: string;
  calls: { name: string; arguments: string }[];
  finish: string | undefined;
  isDone: boolean;
  error: string | undefined;
  /** The connection ended before the body did. */
  isBroken: boolean;
}

/** Asks for a stream through the gateway, and compares every unit that came with what was sent. */
export async function checkStream(baseURL: string, order: Order, agent: Agent): Promise<Verdict> {
  const seen = await ask(baseURL, order, agent);
  const { pieces, args } = planReply(order);
  const text = pieces.join('');
  const isWhole = seen.content === text && seen.calls.length === 1 && seen.calls[0]?.arguments === args;
  if (!text.startsWith(seen.content)) return `wrong: text differs in ${JSON.stringify(order)}`;
  const isEnded = seen.finish !== undefined && seen.isDone && !seen.isBroken;
  switch (order.fault) {
    case 'none':
    case 'malformed':
      return isWhole && isEnded && seen.finish === 'tool_calls'
        ? 'whole'
        : describe('not whole', order, seen);
    case 'status':
      return seen.status === 503 && seen.error === 'upstream_error'
        ? 'failed-openly'
        : describe('status', order, seen);
    case 'early-end':
      // It is made well-formed; what was there is there, and no call.
      return isEnded && seen.calls.length === 0 && seen.content !== ''
        ? 'failed-openly'
        : describe('end', order, seen);
    case 'reset':
    case 'stall': {
      const code = order.fault === 'reset' ? 'upstream_reset' : 'upstream_idle';
      const isTold = seen.error === code && seen.isBroken && !seen.isDone && seen.finish === undefined;
      return isTold && seen.calls.length === 0 ? 'failed-openly' : describe('failure not told', order, seen);
    }
  }
}

function describe(what: string, order: Order, { content, ...seen }: Seen): Verdict {
  return `wrong: ${what}: ${JSON.stringify({ ...order, ...seen, length: content.length })}`;
}

function ask(baseURL: string, order: Order, agent: Agent): Promise<Seen> {
  const seen: Seen = {
    status: 0,
    content: '',
    calls: [],
    finish: undefined,
    isDone: false,
    error: undefined,
    isBroken: false,
  };
  const messages = [{ role: 'user', content: JSON.stringify(order) }];
  const tools = [
    { type: 'function', function: { name: 'check', parameters: { type: 'object', properties: {} } } },
  ];
  const body = JSON.stringify({ model: 'kimi-k2', stream: true, messages, tools });
  return new Promise((resolve, reject) => {
    const sent = request(`${baseURL}/chat/completions`, { method: 'POST', agent }, (response) => {
      seen.status = response.statusCode ?? 0;
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) readLine(line, seen);
      });
      response.on('error', () => {
        seen.isBroken = true;
      });
      response.on('close', () => {
        readLine(rest, seen);
        resolve(seen);
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function readLine(line: string, seen: Seen): void {
  const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : line;
  if (data === '[DONE]') seen.isDone = true;
  if (!data.startsWith('{')) return;
  let value: { error?: { code: string }; choices?: Choice[] };
  try {
    value = JSON.parse(data);
  } catch {
    return;
  }
  if (value.error) seen.error = value.error.code;
  for (const { delta = {}, finish_reason } of value.choices ?? []) {
    seen.content += delta.content ?? '';
    seen.finish = finish_reason ?? seen.finish;
    for (const { index, function: piece } of delta.tool_calls ?? []) {
      seen.calls[index] ??= { name: piece.name ?? '', arguments: '' };
      (seen.calls[index] as { arguments: string }).arguments += piece.arguments ?? '';
    }
  }
}

interface Choice {
  delta?: {
    content?: string;
    tool_calls?: { index: number; function: { name?: string; arguments?: string } }[];
  };
  finish_reason?: string | null;
}
