import { expect, test } from 'vitest';
import { normalizeRequest, type RequestOptions } from '../index.ts';

function rename(names: string[], options: RequestOptions = {}, model = 'kimi-k2.5') {
  const tools = names.map((name) => ({ type: 'function', function: { name } }));
  const { body, problems, toolNames } = normalizeRequest({ model, tools }, options);
  return { sent: body.tools.map((tool) => tool.function.name), problems, toolNames };
}

test('illegal and repeated names get an alias that no other tool has, and lead back', () => {
  const { sent, problems, toolNames } = rename(['a.b', 'a_b', 'a b', '3d', '', 'ü', 'a_b', '-x']);
  expect(sent).toEqual(['a_b_2', 'a_b', 'a_b_3', '_3d', '', '_', 'a_b_4', '_-x']);
  expect(toolNames.get('a_b_2')).toBe('a.b');
  expect(toolNames.get('a_b_4')).toBe('a_b');
  expect(toolNames.has('a_b')).toBe(false);
  expect(problems.map(({ code, path }) => `${code} ${path}`)).toContain(
    'invalid-tool-name /tools/0/function/name',
  );
});

test('the longest name depends on the model, a check on the endpoint', () => {
  const long = 'n'.repeat(65);
  expect(rename([long]).sent).toEqual(['n'.repeat(64)]);
  expect(rename([long, 'n'.repeat(64)]).sent).toEqual([`${'n'.repeat(62)}_2`, 'n'.repeat(64)]);
  expect(rename([long], {}, 'kimi-k3').sent).toEqual([long]);
  expect(rename(['a.b'], { endpoint: 'self-hosted' }).sent).toEqual(['a.b']);
  expect(rename(['a.b'], { toolNames: false }).sent).toEqual(['a.b']);
});

test('history and tool choice follow', () => {
  const body = {
    model: 'kimi-k2-0905-preview',
    tools: [{ type: 'function', function: { name: 'a.b' } }],
    tool_choice: { type: 'function', function: { name: 'a.b' } },
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'a.b', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: '' },
    ],
  };
  const { body: sent } = normalizeRequest(body);
  expect(sent.tool_choice.function.name).toBe('a_b');
  expect(sent.messages[0]?.tool_calls?.[0]).toMatchObject({
    id: 'functions.a_b:0',
    function: { name: 'a_b' },
  });
});

test('tools of the provider keep their names', () => {
  const tools = [{ type: 'builtin_function', function: { name: '$web_search' } }];
  const body = { model: 'kimi-k2.5', tools };
  expect(normalizeRequest(body).body).toBe(body);
});
