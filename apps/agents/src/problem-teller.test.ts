import { expect, test } from 'vitest';
import type { AgentEvent } from './agent.ts';
import { createProblemTeller } from './problem-teller.ts';

test('tells what is wrong in the history once, and each fault of a reply', () => {
  const told: AgentEvent[] = [];
  const tell = createProblemTeller((event) => told.push(event));
  const inHistory = { code: 'reasoning-placeholder-inserted', message: 'A space was put in.' };
  const inReply = { code: 'text-call-recovered', message: 'A call was read from plain text.' };
  for (const path of ['messages[2]', 'messages[2]', 'messages[4]']) tell({ ...inHistory, path });
  tell(inReply);
  tell(inReply);
  const codes = told.map((event) => event.type === 'problem' && event.code);
  expect(codes).toEqual([inHistory.code, inHistory.code, inReply.code, inReply.code]);
});
