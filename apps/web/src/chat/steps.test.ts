import { describe, expect, it } from 'vitest';
import type { ChatMessage, ChatPart, PlainBlock } from '../agent/chat-message.ts';
import { announce } from './announce.ts';
import { compareReplies } from './compare-replies.ts';
import { groupSteps } from './group-steps.ts';

const call: ChatPart = {
  type: 'tool-get_weather',
  toolCallId: 'a',
  state: 'output-available',
  input: { city: 'Oslo' },
  output: { city: 'Oslo', sky: 'snow', low: 0, high: 1, rain: 0 },
};

describe('groupSteps', () => {
  it('puts beside each reply what belongs to it', () => {
    const steps = groupSteps([
      { type: 'data-plain', data: { step: 0, blocks: [] } },
      { type: 'step-start' },
      { type: 'text', text: 'a' },
      { type: 'data-problems', data: { step: 1, problems: [{ code: 'x', message: 'y' }] } },
      { type: 'step-start' },
      { type: 'text', text: 'b' },
    ]);
    expect(steps).toEqual([
      { parts: [{ type: 'text', text: 'a' }], plain: { step: 0, blocks: [] }, problems: [] },
      { parts: [{ type: 'text', text: 'b' }], problems: [{ code: 'x', message: 'y' }] },
    ]);
  });

  it('has a step for a reply that failed or was stopped at once', () => {
    expect(groupSteps([{ type: 'data-plain', data: { step: 0, blocks: [] } }])).toHaveLength(1);
    expect(groupSteps([{ type: 'data-cut', data: { by: 'user' } }])).toEqual([
      { parts: [], problems: [], cut: { by: 'user' } },
    ]);
  });

  it('knows where a reply was cut, also if it went on', () => {
    const steps = groupSteps([
      { type: 'step-start' },
      { type: 'text', text: 'a' },
      { type: 'data-cut', data: { by: 'failure' } },
      { type: 'step-start' },
      { type: 'text', text: 'b' },
    ]);
    expect(steps.map(({ cut }) => cut?.by)).toEqual(['failure', undefined]);
  });
});

describe('compareReplies', () => {
  const compare = (parts: ChatPart[], blocks: PlainBlock[], finishReason = 'stop') =>
    compareReplies({ parts, plain: { step: 0, blocks, finishReason }, problems: [] });

  it('finds nothing where nothing is lost', () => {
    const blocks = [{ kind: 'call', name: 'get_weather', text: '{"city":"Oslo"}' }] as const;
    expect(compare([call], [...blocks], 'tool-calls')).toEqual([]);
    expect(compareReplies({ parts: [call], problems: [] })).toEqual([]);
  });

  it('names what a user would notice', () => {
    expect(compare([call], [{ kind: 'text', text: '<think>a</think><|tool_call_begin|>' }])).toEqual([
      'No tool call is seen: nothing runs, and the agent stops here.',
      'Special tokens are shown to the user.',
      'The thought is part of the answer.',
    ]);
    expect(compare([call, call], [{ kind: 'call', name: 'x', text: '{' }], 'length')).toEqual([
      'Only 1 of 2 tool calls are seen.',
      'The arguments of a call are not JSON.',
      'The calls do not run: the finish reason is length.',
    ]);
    expect(compare([{ type: 'text', text: 'Hi' }], [{ kind: 'reasoning', text: 'Hi' }])).toEqual([
      'The answer is missing.',
    ]);
  });
});

describe('announce', () => {
  const reply = (...parts: ChatPart[]): ChatMessage[] => [{ id: 'r', role: 'assistant', parts }];

  it('tells stations while it grows, and the text at the end', () => {
    expect(announce([], 'submitted')).toBe('Waiting for the server.');
    expect(announce(reply({ type: 'reasoning', text: 'H' }), 'streaming')).toBe('Thinking.');
    expect(announce(reply(call), 'streaming')).toBe('get_weather is done.');
    expect(announce(reply(call, { type: 'text', text: 'We' }), 'streaming')).toBe('Answering.');
    expect(announce(reply(call, { type: 'text', text: 'Well.' }), 'ready')).toBe('Well.');
    expect(announce([], 'ready')).toBe('');
    const stopped = reply({ type: 'text', text: 'We' }, { type: 'data-cut', data: { by: 'user' } });
    expect(announce(stopped, 'ready')).toBe('You stopped this reply.');
  });

  it('asks for approval', () => {
    const waiting: ChatPart = {
      type: 'tool-get_weather',
      toolCallId: 'a',
      state: 'approval-requested',
      input: { city: 'Oslo' },
      approval: { id: 'x' },
    };
    expect(announce(reply(waiting), 'ready')).toBe('get_weather needs your approval.');
  });
});
