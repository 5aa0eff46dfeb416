import type { ModelMessage } from 'ai';
import { z } from 'zod';

export const noteSchema = z.object({
  title: z.string().min(1).max(80).describe('A few words.'),
  text: z.string().min(1).max(2_000),
});

export type Note = z.infer<typeof noteSchema>;

/** What stands in the notes before anything is written. */
const firstNotes: readonly Note[] = [
  {
    title: 'Office supplies',
    text: 'Notebooks come from Papier & Feder, 7.35 € each before 19 % tax. Deliver to 4 Harbour Lane, first floor.',
  },
  { title: 'Team', text: 'Ines is in Lisbon, Jonas in Oslo. Weekly call on Wednesdays at 10:00.' },
];

/**
 * The notes as they stand now. They are kept nowhere but in the conversation itself: every note that was
 * written in it, over those that there were at its beginning. So they last as long as the conversation
 * does, and no two conversations share them.
 */
export function collectNotes(messages: readonly ModelMessage[]): readonly Note[] {
  const notes = new Map(firstNotes.map((note) => [note.title, note]));
  for (const note of messages.flatMap(writtenNotes)) notes.set(note.title, note);
  return [...notes.values()];
}

function writtenNotes({ role, content }: ModelMessage): Note[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.toolName !== 'write_note') return [];
    const { success, data } = noteSchema.safeParse(part.input);
    return success ? [data] : [];
  });
}
