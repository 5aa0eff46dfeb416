import { expect, it } from 'vitest';
import { describeState, showArguments, summariseArguments, type ToolPart } from './tool-part.ts';

const growing: ToolPart = {
  type: 'tool-get_weather',
  toolCallId: 'a',
  state: 'input-streaming',
  rawInput: '{"city": "Os',
};
const cut: ToolPart = {
  type: 'dynamic-tool',
  toolName: 'get_weather',
  toolCallId: 'a',
  state: 'output-error',
  input: '{"city": "Os',
  errorText: 'cut',
};
const failed: ToolPart = {
  type: 'tool-get_weather',
  toolCallId: 'a',
  state: 'output-error',
  input: { city: 'Atlantis' },
  errorText: 'There is no weather for Atlantis.',
};

it('shows arguments as they grow and laid out when they are whole', () => {
  expect(showArguments(growing)).toBe('{"city": "Os');
  expect(showArguments(failed)).toBe('{\n  "city": "Atlantis"\n}');
  expect(showArguments(cut)).toBe('{"city": "Os');
  expect(summariseArguments(failed)).toBe('Atlantis');
  expect(summariseArguments(growing)).toBe('');
});

it('tells a call that failed from one that never ran', () => {
  expect(describeState(growing)).toEqual({ label: 'Writing arguments', tone: 'active' });
  expect(describeState(failed)).toEqual({ label: 'Failed', tone: 'bad' });
  expect(describeState(cut)).toEqual({ label: 'Never ran', tone: 'bad' });
});
