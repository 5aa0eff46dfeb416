import { renderPrompt } from '@kimi-tc/core';
import { describe, expect, it } from 'vitest';
import { createPromptFixture } from './prompt-fixture.ts';
import { createRequestFixture } from './request-fixture.ts';
import { createNormalizing, createRendering, measureRequests, REQUEST_MESSAGES } from './requests.ts';

describe.each(REQUEST_MESSAGES)('%i messages', (count) => {
  it('are all normalized, and stringified in the same body', () => {
    const body = JSON.stringify(createRequestFixture(200, count));
    expect(createNormalizing(count).map(({ run }) => run())).toEqual([body.length, count]);
  });

  it('are all rendered in both ways, and stringified with the tools', () => {
    const input = createPromptFixture(count);
    const { model, tools, messages } = input;
    const texts = [
      JSON.stringify({ model, tools, messages }),
      renderPrompt(input),
      renderPrompt({ ...input, specialTokensInText: 'break' }),
    ];
    expect(createRendering(count).map(({ run }) => run())).toEqual(texts.map((text) => text.length));
  });
});

it('gives a time and a ratio for each length', async () => {
  const growth = await measureRequests([4, 8], { rounds: 1, time: 1, limit: 100 });
  expect(growth.map(({ work }) => work)).toEqual([
    'JSON.stringify of a request',
    'normalizeRequest',
    'JSON.stringify of a conversation',
    "renderPrompt, 'keep'",
    "renderPrompt, 'break'",
  ]);
  for (const [first, works] of [
    [0, growth.slice(0, 2)],
    [2, growth.slice(2)],
  ] as const) {
    for (const { times, ratios } of works) {
      expect(ratios).toEqual(times.map((time, at) => time / (growth[first]?.times[at] as number)));
    }
  }
});
