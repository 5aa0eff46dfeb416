import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatPart } from '../agent/chat-message.ts';
import { settleMessages, toWire } from './settle-messages.ts';

const reply = (...parts: ChatPart[]): ChatMessage => ({ id: 'r', role: 'assistant', parts });
const question: ChatMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };

describe('settleMessages', () => {
  it('closes what was open', () => {
    const [settled] = settleMessages([
      reply(
        { type: 'reasoning', text: 'Hm', state: 'streaming' },
        { type: 'text', text: 'We', state: 'streaming' },
      ),
    ]);
    expect(settled?.parts.map((part) => 'state' in part && part.state)).toEqual(['done', 'done']);
  });

  it('marks a call that was cut as one that did not run, and does not send it back', () => {
    const cut: ChatPart = {
      type: 'tool-get_weather',
      toolCallId: 'a',
      state: 'input-streaming',
      rawInput: '{"city": "Lis',
      input: { city: 'Lis' },
    };
    const settled = settleMessages([question, reply({ type: 'step-start' }, cut)]);
    expect(settled[1]?.parts[1]).toEqual({
      type: 'tool-get_weather',
      toolCallId: 'a',
      state: 'output-error',
      errorText: 'Stopped before the call was whole. It did not run.',
      input: '{"city": "Lis',
    });
    expect(toWire(settled)).toEqual([question]);
  });

  it('marks a call without a result, which does go back', () => {
    const running: ChatPart = {
      type: 'tool-get_weather',
      toolCallId: 'a',
      state: 'input-available',
      input: { city: 'Oslo' },
    };
    const settled = settleMessages([reply(running)]);
    expect(settled[0]?.parts[0]).toMatchObject({ state: 'output-error', input: { city: 'Oslo' } });
    expect(toWire(settled)).toEqual(settled);
  });

  it('leaves alone what is settled, and an approval that is asked for', () => {
    const waiting: ChatPart = {
      type: 'tool-get_weather',
      toolCallId: 'a',
      state: 'approval-requested',
      input: { city: 'Oslo' },
      approval: { id: 'x' },
    };
    const messages = [question, reply(waiting)];
    expect(settleMessages(messages)).toBe(messages);
  });
});

it('does not send what stands beside the replies', () => {
  const beside: ChatPart = { type: 'data-plain', data: { step: 0, blocks: [] } };
  const text: ChatPart = { type: 'text', text: 'Hi' };
  expect(toWire([reply(beside, { type: 'step-start' }, text)])).toEqual([
    reply({ type: 'step-start' }, text),
  ]);
  expect(toWire([reply(beside, { type: 'step-start' })])).toEqual([]);
});
