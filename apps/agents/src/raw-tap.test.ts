import { type BehaviourName, startEngine } from '@kimi-tc/testing';
import { expect, it } from 'vitest';
import { createRawTap } from './raw-tap.ts';

const text =
  '<think>你好 🙂</think>So:<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at": "é"}<|tool_call_end|><|tool_calls_section_end|>';

/** Asks once without the tap and once with it. */
async function ask(
  behaviour: BehaviourName[],
  stream = true,
): Promise<{ plain: string; tapped: string; raw: Record<string, string> }> {
  const engine = await startEngine({ script: [text], behaviour, byteCuts: { seed: 7, max: 5 } });
  const raw: Record<string, string> = {};
  const tap = createRawTap((field, delta) => {
    raw[field] = (raw[field] ?? '') + delta;
  });
  const request = {
    method: 'POST',
    body: JSON.stringify({ model: 'kimi-k2-thinking', stream, messages: [{ role: 'user', content: 'x' }] }),
  };
  try {
    const url = `${engine.baseURL}/chat/completions`;
    const plain = await (await fetch(url, request)).text();
    const tapped = await (await tap(url, request)).text();
    const withoutCount = (body: string): string => body.replaceAll(/chatcmpl-\d+/g, 'id');
    return { plain: withoutCount(plain), tapped: withoutCount(tapped), raw };
  } finally {
    await engine.stop();
  }
}

it.each<BehaviourName[]>([['raw-content'], ['raw-content', 'crlf'], ['raw-content', 'keep-alive-as-data']])(
  'tells of the raw text, and passes all on as it came: %s',
  async (...behaviour) => {
    const { plain, tapped, raw } = await ask(behaviour);
    expect(raw).toEqual({ content: text, finish_reason: 'stop' });
    expect(tapped).toBe(plain);
  },
);

it('tells of what a server has read already', async () => {
  expect((await ask(['healthy'])).raw).toEqual({
    reasoning_content: '你好 🙂',
    content: 'So:',
    tool_calls: '\nfunctions.look:0 look {"at": "é"}',
    finish_reason: 'tool_calls',
  });
});

it('tells of the text of a completion', async () => {
  const engine = await startEngine({ script: [text] });
  const raw: string[] = [];
  const tap = createRawTap((field, delta) => raw.push(field === 'text' ? delta : `[${field} ${delta}]`));
  const body = JSON.stringify({ model: 'kimi-k2-thinking', stream: true, prompt: 'x' });
  try {
    await (await tap(`${engine.baseURL}/completions`, { method: 'POST', body })).text();
  } finally {
    await engine.stop();
  }
  expect(raw.join('')).toBe(`${text}[finish_reason stop]`);
});

it('lets other answers pass', async () => {
  const { plain, tapped, raw } = await ask(['raw-content'], false);
  expect(raw).toEqual({});
  expect(tapped).toBe(plain);
});
