import { createCalculator } from '@kimi-tc/agents/calculator';
import { tool } from 'ai';
import { z } from 'zod';
import { collectNotes, noteSchema } from './notes.ts';
import { readWeather } from './weather.ts';

const calculator = createCalculator();

/** All tools of the agent. They really run, on what this process has; none of them reaches a network. */
export const tools = {
  get_weather: tool({
    description: "Tomorrow's weather in a city.",
    inputSchema: z.object({ city: z.string().min(1).max(80) }),
    execute: ({ city }) => readWeather(city),
  }),
  calculator: tool({
    description: calculator.description,
    inputSchema: z.object({ expression: z.string().min(1).max(300).describe('For example (3 + 4) * 2.') }),
    execute: async ({ expression }, { abortSignal = new AbortController().signal }) => ({
      value: (await calculator.run({ expression }, abortSignal)).text,
    }),
  }),
  read_notes: tool({
    description: "All of the user's notes.",
    inputSchema: z.object({}),
    execute: (_, { messages }) => ({ notes: collectNotes(messages) }),
  }),
  write_note: tool({
    description: 'Write a note. One of the same title is replaced.',
    inputSchema: noteSchema,
    execute: ({ title }) => ({ saved: title }),
  }),
  send_order: tool({
    description: 'Order something from a supplier. The user is asked before it is sent.',
    inputSchema: z.object({
      supplier: z.string().min(1).max(80),
      item: z.string().min(1).max(80),
      quantity: z.int().min(1).max(10_000),
      total: z.string().max(40).describe('Price of everything with tax and currency.'),
      deliverTo: z.string().min(1).max(200),
    }),
    execute: ({ supplier }) => ({ order: createOrderNumber(), sentTo: supplier }),
  }),
};

export type Tools = typeof tools;

/** Tools that run only if the user says so. */
export const toolApproval = { send_order: 'user-approval' } as const;

function createOrderNumber(): string {
  return `PO-${crypto.randomUUID().slice(0, 6).toUpperCase()}`;
}
