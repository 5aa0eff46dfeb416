import { fileURLToPath } from 'node:url';
import { type BehaviourName, behaviours } from '@kimi-tc/testing';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, Transport } from './agent.ts';
import { showsInText } from './options.ts';
import { run } from './run.ts';

const root = fileURLToPath(new URL('../sample-project', import.meta.url));

async function runWith(
  fault: BehaviourName,
  transport: Transport = 'chat',
): Promise<{ end: AgentEvent | undefined; errors: string[] }> {
  const events: AgentEvent[] = [];
  const options = { json: true, showRaw: true, help: false, transport, fault };
  await run(options, root, 0, (event) => void events.push(event), new AbortController().signal);
  const errors = events.flatMap((event) => (event.type === 'error' ? [event.message] : []));
  return { end: events.at(-1), errors };
}

/** With these the answer cannot be had: what was lost is on the server. */
const hopeless: readonly [fault: BehaviourName, outcome: string, error?: RegExp][] = [
  ['rate-limited', 'failed', /^429 The engine is currently overloaded/],
  ['server-error', 'failed', /^500 /],
  ['connection-reset', 'failed', /^Connection error: .*ECONNRESET/],
  ['html-error-page', 'failed', /^502 /],
  ['tool-use-failed', 'failed', /^400 Failed to call a function/],
  ['cut-mid-call', 'failed', /./],
  ['error-mid-stream', 'failed', /The engine failed while it was generating/],
  ['empty-tool-call-deltas', 'failed', /ended with turn 3 of 8/],
  // No turn has more than a thought, or the last one.
  ['reasoning-only', 'no-answer'],
  ['think-close-stripped', 'no-answer'],
  // The call that is cut has no name, so nothing of it reaches the agent.
  ['bare-counter-ids', 'cut-off'],
  ['opaque-ids-in-text', 'cut-off'],
];

const others = (Object.keys(behaviours) as BehaviourName[]).filter(
  (name) => !hopeless.some(([fault]) => fault === name),
);

function endOf(fault: BehaviourName): Awaited<ReturnType<typeof runWith>> {
  return {
    errors: [],
    end: {
      type: 'run-end',
      outcome: 'answered',
      turns: 8,
      callsRun: 7,
      callsRefused: 1,
      checked: behaviours[fault].failure?.once ? 16 : 8,
    },
  };
}

describe('with a server that is', () => {
  it.concurrent.each(others)('%s, the demo gets its answer', async (fault) => {
    expect(await runWith(fault)).toEqual(endOf(fault));
  });

  it.concurrent.each(hopeless)('%s, the demo ends as %s', async (fault, outcome, error) => {
    const { end, errors } = await runWith(fault);
    expect(end).toMatchObject({ type: 'run-end', outcome });
    expect(errors).toEqual(error ? [expect.stringMatching(error)] : []);
  });
});

describe('over text completions, with a server that is', () => {
  it.concurrent.each(others.filter(showsInText))('%s, the demo gets its answer', async (fault) => {
    expect(await runWith(fault, 'completions')).toEqual(endOf(fault));
  });

  it.concurrent.each(hopeless.filter(([fault]) => showsInText(fault)))(
    '%s, the demo ends as %s',
    async (fault, outcome, error) => {
      const { end, errors } = await runWith(fault, 'completions');
      expect(end).toMatchObject({ type: 'run-end', outcome });
      expect(errors).toEqual(error ? [expect.stringMatching(error)] : []);
    },
  );
});
