import { isObject } from '../json.ts';
import type { Chunk } from './chunk.ts';

/** Only for the tests of the engine: a client without mercy, and the words of a stream in short. */

export const section = {
  begin: '<|tool_calls_section_begin|>',
  end: '<|tool_calls_section_end|>',
} as const;

/** One call as a model writes it. */
export function rawCall(id: string, json: string): string {
  return `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
}

export async function post(
  base: string,
  path: string,
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...init.headers };
  return fetch(base + path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

export function chat(base: string, more: object = {}, init?: RequestInit): Promise<Response> {
  const body = { model: 'kimi-k2-thinking', messages: [{ role: 'user', content: 'Go.' }], ...more };
  return post(base, '/v1/chat/completions', body, init);
}

/** The fields of an answer that tests look at; which are there is what they test. */
export interface Answer {
  readonly choices: readonly [AnswerChoice, ...AnswerChoice[]];
  readonly error: { readonly message: string; readonly type: string; readonly code: unknown };
}

interface AnswerChoice {
  readonly index: number;
  readonly message: { readonly content: string | null };
  readonly text: string;
  readonly finish_reason: string | null;
  readonly usage?: unknown;
}

export async function toAnswer(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}

/** The `data` of each event; comments, other fields, and the spelling of lines are left out. */
export function eventData(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''));
}

/** The chunks of a stream in short: a word for each event. */
export function shorten(text: string): string[] {
  return eventData(text).map((data) => {
    if (!data.startsWith('{')) return data;
    const value: unknown = JSON.parse(data);
    return isObject(value) && 'error' in value ? 'error' : shortenChunk(value as Chunk);
  });
}

function shortenChunk({ choices: [choice], usage }: Chunk): string {
  if (!choice) return `usage ${usage?.total_tokens}`;
  const { tool_calls, ...fields } = choice.delta ?? { text: choice.text };
  return [
    ...(choice.index === 0 ? [] : [`#${choice.index}`]),
    ...Object.entries(fields).map(([field, value]) => `${field}=${value}`),
    ...(tool_calls?.length === 0 ? ['calls=[]'] : []),
    ...(tool_calls ?? []).map((call) => {
      const { name, arguments: json } = call.function;
      const words = {
        id: call.id,
        type: call.type,
        name,
        args: typeof json === 'object' ? JSON.stringify(json) : json,
      };
      const shown = Object.entries(words).filter(
        ([word, value]) => value !== undefined && (word !== 'type' || value === ''),
      );
      return `call${call.index}(${shown.map(([word, value]) => `${word}=${value}`).join(' ')})`;
    }),
    ...(choice.finish_reason === null ? [] : [`finish=${choice.finish_reason}`]),
    ...(choice.usage ? [`usage=${choice.usage.total_tokens}`] : []),
  ].join(' ');
}
