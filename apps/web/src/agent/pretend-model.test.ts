import { describe, expect, it } from 'vitest';
import { speak } from './pretend-model.ts';

type Message = Record<string, unknown>;

const ask = (content: unknown): Message => ({ role: 'user', content });
const call = (id: string, name: string): Message => ({ id, function: { name, arguments: '{}' } });
const result = (id: string, value: unknown): Message => ({
  role: 'tool',
  tool_call_id: id,
  content: typeof value === 'string' ? value : JSON.stringify(value),
});
const say = (...messages: Message[]): string => speak({ messages });

describe('the pretend model', () => {
  it('thinks, speaks and calls in the format of Kimi K2', () => {
    expect(say(ask('Order twelve notebooks.'))).toMatch(
      /^<think>An order needs .*<\/think>Let me look .*<\|tool_calls_section_begin\|><\|tool_call_begin\|>functions\.read_notes:0<\|tool_call_argument_begin\|>\{\}<\|tool_call_end\|><\|tool_calls_section_end\|>$/,
    );
  });

  it('numbers its calls over the whole conversation', () => {
    const before = [
      ask('What is 1 + 1?'),
      { role: 'assistant', content: null, tool_calls: [call('a', 'calculator')] },
      result('a', { value: '2' }),
      { role: 'assistant', content: '2' },
    ];
    const text = say(...before, ask([{ type: 'text', text: 'How warm is it in Lisbon and Oslo?' }]));
    expect(text).toContain('functions.get_weather:1<|tool_call_argument_begin|>{"city":"Lisbon"}');
    expect(text).toContain('functions.get_weather:2<|tool_call_argument_begin|>{"city":"Oslo"}');
  });

  it('goes by what the tools returned', () => {
    const asked = [
      ask('How warm is it in Lisbon?'),
      { role: 'assistant', content: null, tool_calls: [call('a', 'get_weather')] },
    ];
    const lisbon = { city: 'Lisbon', sky: 'hail', low: 1, high: 2, rain: 9 };
    expect(say(...asked, result('a', lisbon))).toContain('| Lisbon | hail | 1 °C | 2 °C | 9 mm |');
    expect(say(...asked, result('a', 'There is no weather for Lisbon.'))).toContain(
      'I have no weather for Lisbon',
    );
  });

  it('orders in four steps, and takes a refusal', () => {
    const steps = [
      ask('Order 30 notebooks.'),
      { role: 'assistant', content: '', tool_calls: [call('a', 'read_notes')] },
      result('a', { notes: [] }),
    ];
    expect(say(...steps)).toContain('{"expression":"30 * 7.35 * 1.19"}');
    steps.push(
      { role: 'assistant', content: '', tool_calls: [call('b', 'calculator')] },
      result('b', { value: '262.395' }),
    );
    expect(say(...steps)).toMatch(/functions\.send_order:2.*"quantity":30,"total":"262\.\d\d €"/);
    steps.push({ role: 'assistant', content: '', tool_calls: [call('c', 'send_order')] });
    expect(say(...steps, result('c', { order: 'PO-1', sentTo: 'them' }))).toContain(
      'Order **PO-1** is on its way',
    );
    expect(say(...steps, result('c', 'Tool execution denied.'))).toContain('I have **not** sent the order');
  });

  it('writes notes and reads them', () => {
    expect(say(ask('Note that the call moved to Thursday.'))).toContain(
      '{"title":"The call moved to","text":"The call moved to Thursday."}',
    );
    expect(say(ask('What do my notes say?'))).toContain('functions.read_notes:0');
  });

  it('says what it is when it knows no task', () => {
    expect(say(ask('Write a sonnet.'))).toContain('I am a pretend model');
  });

  it('refuses what is no chat request', () => {
    expect(() => speak({ prompt: 'x' })).toThrow('messages');
  });
});
