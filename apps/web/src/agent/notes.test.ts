import { expect, it } from 'vitest';
import { collectNotes } from './notes.ts';

it('holds what was written in the conversation, the last of a title', () => {
  const write = (title: string, text: string) => ({
    role: 'assistant' as const,
    content: [
      { type: 'tool-call' as const, toolCallId: text, toolName: 'write_note', input: { title, text } },
    ],
  });
  const notes = collectNotes([
    { role: 'user', content: 'Hello' },
    write('Call', 'Wednesday'),
    write('Call', 'Thursday'),
    write('', 'a title is missing'),
  ]);
  expect(notes.map(({ title }) => title)).toEqual(['Office supplies', 'Team', 'Call']);
  expect(notes.at(-1)?.text).toBe('Thursday');
});
