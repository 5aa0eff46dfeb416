import { fileURLToPath } from 'node:url';
import { type BehaviourName, behaviours } from '@kimi-tc/testing';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, SdkName, Transport } from './agent.ts';
import { agents } from './agents.ts';
import { showsInText } from './options.ts';
import { run } from './run.ts';

const root = fileURLToPath(new URL('../sample-project', import.meta.url));

const sdks = Object.keys(agents) as SdkName[];

async function runWith(
  sdk: SdkName,
  fault: BehaviourName,
  transport: Transport = 'chat',
): Promise<{ end: AgentEvent | undefined; errors: string[] }> {
  const events: AgentEvent[] = [];
  const options = { json: true, showRaw: true, help: false, sdk, transport, fault };
  await run(options, root, 0, (event) => void events.push(event), new AbortController().signal);
  const errors = events.flatMap((event) => (event.type === 'error' ? [event.message] : []));
  return { end: events.at(-1), errors };
}

/** With these the answer cannot be had: what was lost is on the server. */
const hopeless: readonly [fault: BehaviourName, outcome: string, error?: RegExp][] = [
  ['rate-limited', 'failed', /The engine is currently overloaded/],
  ['server-error', 'failed', /^500 |invalid character 'I'/],
  ['connection-reset', 'failed', /ECONNRESET/],
  ['html-error-page', 'failed', /^502 |Bad Gateway/],
  ['tool-use-failed', 'failed', /Failed to call a function/],
  ['cut-mid-call', 'failed', /./],
  ['error-mid-stream', 'failed', /The engine failed while it was generating/],
  ['empty-tool-call-deltas', 'failed', /ended with turn 3 of 8/],
  // No turn has more than a thought, or the last one.
  ['reasoning-only', 'no-answer'],
  ['think-close-stripped', 'no-answer'],
];

/** Here the call that is cut has no name, and the chunks of the OpenAI API have no place for it. */
const openaiOnly: typeof hopeless = [
  ['bare-counter-ids', 'cut-off'],
  ['opaque-ids-in-text', 'cut-off'],
];

function hopelessFor(sdk: SdkName): typeof hopeless {
  return sdk === 'openai' ? [...hopeless, ...openaiOnly] : hopeless;
}

function othersFor(sdk: SdkName): BehaviourName[] {
  const without = new Set<string>(hopelessFor(sdk).map(([fault]) => fault));
  return (Object.keys(behaviours) as BehaviourName[]).filter((name) => !without.has(name));
}

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

describe.each(sdks)('%s: with a server that is', (sdk) => {
  it.concurrent.each(othersFor(sdk))('%s, the demo gets its answer', async (fault) => {
    expect(await runWith(sdk, fault)).toEqual(endOf(fault));
  });

  it.concurrent.each(hopelessFor(sdk))('%s, the demo ends as %s', async (fault, outcome, error) => {
    const { end, errors } = await runWith(sdk, fault);
    expect(end).toMatchObject({ type: 'run-end', outcome });
    expect(errors).toEqual(error ? [expect.stringMatching(error)] : []);
  });
});

describe.each(sdks)('%s: over text completions, with a server that is', (sdk) => {
  it.concurrent.each(othersFor(sdk).filter(showsInText))('%s, the demo gets its answer', async (fault) => {
    expect(await runWith(sdk, fault, 'completions')).toEqual(endOf(fault));
  });

  it.concurrent.each(hopelessFor(sdk).filter(([fault]) => showsInText(fault)))(
    '%s, the demo ends as %s',
    async (fault, outcome, error) => {
      const { end, errors } = await runWith(sdk, fault, 'completions');
      expect(end).toMatchObject({ type: 'run-end', outcome });
      expect(errors).toEqual(error ? [expect.stringMatching(error)] : []);
    },
  );
});
