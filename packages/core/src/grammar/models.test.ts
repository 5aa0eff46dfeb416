import { expect, test } from 'vitest';
import { resolveModel } from './models.ts';

test.each([
  [
    'k2-instruct',
    [
      'k2-instruct',
      'moonshotai/Kimi-K2-Instruct',
      'moonshotai/Kimi-K2-Instruct-0905',
      'kimi-k2-0711-preview',
      'kimi-k2-0905-preview',
      'kimi-k2-turbo-preview',
      'moonshotai/kimi-k2',
      'moonshotai/kimi-k2-0905:exacto',
      'accounts/fireworks/models/kimi-k2-instruct-0905',
      'unsloth/Kimi-K2-Instruct-0905-GGUF:Q4_K_M',
      'kimi-k2:1t-cloud',
      'moonshotai/kimi-k2:free',
      'kimi_k2',
      'KimiK2',
      'kimi k2 instruct',
      'kimi.k2',
      'kimi-k2-rethinking',
      'kimi-k2-0905\nand a second line',
    ],
  ],
  [
    'k2-thinking',
    [
      'k2-thinking',
      'moonshotai/Kimi-K2-Thinking',
      'kimi-k2-thinking',
      'kimi-k2-thinking-turbo',
      'moonshot.kimi-k2-thinking',
      'accounts/fireworks/models/kimi-k2-thinking',
      'Kimi-K2-Thinking-Q4_K_M.gguf',
      'kimi-k2-thinking:cloud',
      'kimi-k2thinking',
      'kimi-k2-0905-thinking',
      'kimi-k2.thinking',
    ],
  ],
  [
    'k2.5',
    [
      'k2.5',
      'kimi-k2.5',
      'moonshotai/Kimi-K2.5',
      'moonshotai.kimi-k2.5',
      'accounts/fireworks/models/kimi-k2p5',
      'kimi-k2-5',
      'kimi-k2-5-instruct',
      'kimi_k2_5',
      'kimi-k2.5-thinking',
      'kimi-k2.5:cloud',
      'nvidia/Kimi-K2.5-NVFP4',
    ],
  ],
  ['k2.6', ['k2.6', 'kimi-k2.6', 'moonshotai/Kimi-K2.6', 'accounts/fireworks/models/kimi-k2p6']],
  [
    'k2.7-code',
    [
      'k2.7-code',
      'kimi-k2.7-code',
      'kimi-k2.7-code-highspeed',
      'moonshotai/Kimi-K2.7-Code',
      'kimi-k2p7-code',
    ],
  ],
  ['k3', ['k3', 'kimi-k3', 'moonshotai/Kimi-K3', 'kimi-k3.5', 'kimi-k3-0901', 'kimik3']],
  [
    'unknown',
    [
      'kimi-latest',
      'kimi-thinking-preview',
      'moonshotai/Kimi-VL-A3B-Thinking',
      'moonshotai/Kimi-Dev-72B',
      'kimi-linear-48b',
      'moonshot-v1-8k',
      'gpt-5',
      'unknown',
      'k2',
      'K2-Think',
      'toString',
      'kimi-k25',
      'kimi-k20',
      'kimi-k2.50',
      'kimi-k2.1',
      'kimi-k2.0',
      'kimi-k2.10',
      'kimi-k2p4',
      'kimi-k2-9',
      'kimi-k30',
      'kimi-k4',
      'kimi--k2',
      'kimi/k2',
      'notkimi-k2',
      '2kimi-k2',
      '',
    ],
  ],
])('%s', (family, ids) => {
  expect(ids.map((id) => [id, resolveModel(id).family])).toEqual(ids.map((id) => [id, family]));
});

test('an unknown id reads the K2 grammar and assumes nothing about thinking', () => {
  expect(resolveModel('some-model')).toEqual({
    id: 'some-model',
    family: 'unknown',
    grammar: 'k2',
    thinking: 'none',
  });
});

test.each([
  ['kimi-k2', 'k2', 'none'],
  ['kimi-k2-thinking', 'k2', 'model'],
  ['kimi-k2.5', 'k2', 'prompt'],
  ['kimi-k2.6', 'k2', 'prompt'],
  ['kimi-k2.7-code', 'k2', 'prompt'],
  ['kimi-k3', 'k3', 'prompt'],
])('%s writes the markup of %s, its thought is opened by: %s', (id, grammar, thinking) => {
  expect(resolveModel(id)).toMatchObject({ grammar, thinking });
});
