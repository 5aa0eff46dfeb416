import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { parsePartialJson } from 'ai';
import { expect, test } from 'vitest';

// The AI SDK shows unfinished input as far as it can complete it, and runs whole input only.
test.each(['', '{', '{"a":', '{"a":1', '{"a":"b', '{"a":"b\\', '{"a":"b","c', '{"a":["b"', '{"a":1}', '{}'])(
  'the AI SDK takes no input for whole behind the seal: %s',
  async (input) => {
    const { state, value } = await parsePartialJson(input + CUT_ARGUMENTS_SEAL);
    expect(['repaired-parse', 'failed-parse']).toContain(state);
    expect(JSON.stringify(value) ?? '').not.toContain('u0018');
  },
);
