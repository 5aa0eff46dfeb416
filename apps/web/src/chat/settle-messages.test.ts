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
    expect(settled?.parts.slice(0, 2).map((part) => 'state' in part && part.state)).toEqual(['done', 'done']);
  });

  const text: ChatPart = { type: 'text', text: 'We', state: 'done' };
  const thought: ChatPart = { type: 'reasoning', text: 'Hm', state: 'done' };
  const step: ChatPart = { type: 'step-start' };
  const cut = (by: 'user' | 'failure'): ChatPart => ({ type: 'data-cut', data: { by } });

  it.each<[string, ChatPart[]]>([
    ['in the middle of a text', [step, { ...text, state: 'streaming' }]],
    ['between a thought and its answer', [step, thought]],
    ['between two steps', [step, text, step]],
  ])('marks a reply that broke off %s, and one that was stopped there', (_, parts) => {
    const parted = (messages: ChatMessage[]) => messages.map((message) => message.parts.at(-1));
    expect(parted(settleMessages([question, reply(...parts)]))).toEqual([question.parts[0], cut('failure')]);
    expect(parted(settleMessages([question, reply(...parts)], true))).toEqual([
      question.parts[0],
      cut('user'),
    ]);
  });

  it('marks a whole text only if more was to come of it for the user, and each end once', () => {
    const whole = [question, reply(step, thought, text)];
    expect(settleMessages(whole)).toBe(whole);
    const stopped = settleMessages(whole, true);
    expect(stopped[1]?.parts.at(-1)).toEqual(cut('user'));
    expect(settleMessages(stopped)).toBe(stopped);
    expect(settleMessages(stopped, true)).toBe(stopped);
  });

  it('marks a reply that never began only if the user stopped it', () => {
    expect(settleMessages([question], true)).toEqual([question]);
    const nothing = [question, reply(step)];
    expect(settleMessages(nothing)).toBe(nothing);
    expect(settleMessages(nothing, true)[1]?.parts).toEqual([step, cut('user')]);
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
    expect(settled[1]?.parts.at(-1)).toEqual({ type: 'data-cut', data: { by: 'failure' } });
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
    const [call] = settled[0]?.parts ?? [];
    expect(call).toMatchObject({ state: 'output-error', input: { city: 'Oslo' } });
    expect(toWire(settled)).toEqual([{ ...settled[0], parts: [call] }]);
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
  const behind: ChatPart = { type: 'data-cut', data: { by: 'user' } };
  const text: ChatPart = { type: 'text', text: 'Hi' };
  expect(toWire([reply(beside, { type: 'step-start' }, text, behind)])).toEqual([
    reply({ type: 'step-start' }, text),
  ]);
  expect(toWire([reply(beside, { type: 'step-start' })])).toEqual([]);
});
