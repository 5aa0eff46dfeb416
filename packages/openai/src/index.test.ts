import { expect, test } from 'vitest';
import * as openai from './index.ts';

test('exports what the README names', () => {
  expect(Object.keys(openai).sort()).toEqual([
    'KimiError',
    'collectTurn',
    'completionStreamToChat',
    'createKimiFetch',
    'createReasoningMemory',
    'endpointOf',
    'transformKimiCompletion',
    'transformKimiStream',
  ]);
});
