import { normalizeRequest, renderPrompt } from '@kimi-tc/core';
import { sink } from './contenders.ts';
import { type Effort, median, sample } from './measure.ts';
import { createPromptFixture } from './prompt-fixture.ts';
import { createRequestFixture } from './request-fixture.ts';

/** How many messages a conversation has; the sizes double. */
export const REQUEST_MESSAGES = [500, 1000, 2000] as const;

/** What is done to one conversation. */
interface Job {
  work: string;
  /** @returns how much came out: messages, or UTF-16 units */
  run(): number;
}

/** The first job on a conversation is the yardstick for the others. */
export type Jobs = [Job, ...Job[]];

/** Milliseconds for one work on ever longer conversations. */
export interface RequestGrowth {
  work: string;
  /** One for each of the lengths. */
  times: number[];
  /** Times of `JSON.stringify` that the work takes, one for each of the lengths. */
  ratios: number[];
}

const TOOLS = 200;

/** A request to a router. It has more tools than Moonshot takes, which `parameters: false` lets pass. */
export function createNormalizing(messages: number): Jobs {
  const body = createRequestFixture(TOOLS, messages);
  return [
    { work: 'JSON.stringify of a request', run: () => JSON.stringify(body).length },
    {
      work: 'normalizeRequest',
      run: () => normalizeRequest(body, { endpoint: 'router', parameters: false }).body.messages.length,
    },
  ];
}

export function createRendering(messages: number): Jobs {
  const input = createPromptFixture(messages);
  const body = { model: input.model, tools: input.tools, messages: input.messages };
  return [
    { work: 'JSON.stringify of a conversation', run: () => JSON.stringify(body).length },
    ...(['keep', 'break'] as const).map((specialTokensInText) => ({
      work: `renderPrompt, '${specialTokensInText}'`,
      run: () => renderPrompt({ ...input, specialTokensInText }).length,
    })),
  ];
}

async function timeOnce({ run }: Job, effort: Effort): Promise<number> {
  const read = () => {
    sink.units += run();
    return 1;
  };
  return (await sample({ deltas: 1, async: false, read }, 1, effort.time)).time;
}

async function measureJobs(
  create: (messages: number) => Jobs,
  lengths: readonly number[],
  effort: Effort,
): Promise<RequestGrowth[]> {
  const conversations = lengths.map(create);
  const growth = (conversations[0] ?? []).map(({ work }) => ({
    work,
    times: lengths.map((): number[] => []),
    ratios: lengths.map((): number[] => []),
  }));
  for (const job of conversations.flat()) await timeOnce(job, effort);
  for (let round = 0; round < effort.rounds; round++) {
    for (const [length, jobs] of conversations.entries()) {
      let yardstick: number | undefined;
      for (const [at, job] of jobs.entries()) {
        const time = await timeOnce(job, effort);
        yardstick ??= time;
        growth[at]?.times[length]?.push(time);
        growth[at]?.ratios[length]?.push(time / yardstick);
      }
    }
  }
  return growth.map(({ work, times, ratios }) => ({
    work,
    times: times.map(median),
    ratios: ratios.map(median),
  }));
}

/** Times the request side and prompts on ever longer conversations, in rounds, after `JSON.stringify` of the same. */
export async function measureRequests(lengths: readonly number[], effort: Effort): Promise<RequestGrowth[]> {
  return [
    ...(await measureJobs(createNormalizing, lengths, effort)),
    ...(await measureJobs(createRendering, lengths, effort)),
  ];
}
