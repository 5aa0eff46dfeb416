import { normalizeRequest } from '@kimi-tc/core';
import { expect, it } from 'vitest';
import { createRequestFixture } from './request-fixture.ts';
import { REQUEST_MESSAGES } from './requests.ts';

it('needs rewriting in every message of the model, every result and every tool', () => {
  const fixture = createRequestFixture(20, 41);
  const { body, problems } = normalizeRequest(fixture, { endpoint: 'router' });
  expect(problems.filter(({ code }) => code === 'schema-relaxed')).toHaveLength(20);
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['schema-relaxed', 'id-rewritten']));
  expect(body.tools.filter((tool, at) => tool === fixture.tools[at])).toEqual([]);
  expect(body.messages.filter((message, at) => message === fixture.messages[at])).toEqual([]);
  expect(body.messages[39]).toMatchObject({
    content: null,
    reasoning_content: expect.stringContaining('next file'),
    tool_calls: [{ id: 'functions.tool_19:19' }],
  });
  expect(body.messages[40]).toMatchObject({ tool_call_id: 'functions.tool_19:19' });
});

it.each(REQUEST_MESSAGES)('needs it as much as timed, with 200 tools and %i messages', (count) => {
  const fixture = createRequestFixture(200, count);
  const { body, problems, ids } = normalizeRequest(fixture, { endpoint: 'router', parameters: false });
  expect(problems.filter(({ code }) => code === 'schema-relaxed')).toHaveLength(200);
  expect(body.tools.filter((tool, at) => tool === fixture.tools[at])).toEqual([]);
  expect(body.messages).toHaveLength(count);
  expect(body.messages.filter((message, at) => message === fixture.messages[at])).toEqual([]);
  // The last call is yet to be answered.
  expect(ids.size).toBe(count / 2);
  const others = problems.filter(({ code }) => code !== 'schema-relaxed').map(({ code }) => code);
  expect(others.toSorted()).toEqual(['id-rewritten', 'unanswered-call']);
  const calls = Array.from({ length: count / 2 }, (_, at) => ({
    tool_calls: [{ id: `functions.tool_${(2 * at + 1) % 200}:${at}` }],
  }));
  expect(body.messages.filter((_, at) => at % 2 === 1)).toMatchObject(calls);
});
