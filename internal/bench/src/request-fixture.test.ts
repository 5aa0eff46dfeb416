import { normalizeRequest } from '@kimi-tc/core';
import { expect, it } from 'vitest';
import { createRequestFixture } from './request-fixture.ts';

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
