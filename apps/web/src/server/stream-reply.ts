import { createKimi } from '@kimi-tc/ai-sdk';
import {
  createAgentUIStream,
  createUIMessageStream,
  type InferUIMessageChunk,
  isStepCount,
  ToolLoopAgent,
} from 'ai';
import type { ChatMessage, StepProblems } from '../agent/chat-message.ts';
import { instructions } from '../agent/instructions.ts';
import { toolApproval, tools } from '../agent/tools.ts';
import type { Endpoint } from './endpoint.ts';
import { explainError } from './explain-error.ts';
import { readPlainReply } from './read-plain-reply.ts';
import { createThinkingClock } from './thinking-clock.ts';

type Chunk = InferUIMessageChunk<ChatMessage>;

/** Replies of the model to one question. */
const stepLimit = 12;

/**
 * Lets the agent go on with a conversation. Beside its own parts the stream has, for each reply of the
 * model, what a plain provider makes of the same bytes, and what kimi-tc reported.
 *
 * @param onEnd is called once, however it ends
 */
export function streamReply(
  messages: ChatMessage[],
  endpoint: Endpoint,
  signal: AbortSignal,
  onEnd: () => Promise<void>,
): ReadableStream<Chunk> {
  const explain = (error: unknown): string => explainError(error, endpoint.apiKey);
  return createUIMessageStream<ChatMessage>({
    originalMessages: messages,
    onError: explain,
    async execute({ writer }) {
      const side = createSideNotes(countSteps(messages.at(-1)), endpoint.apiKey, (chunk) =>
        writer.write(chunk),
      );
      const kimi = createKimi({
        baseURL: endpoint.baseURL,
        apiKey: endpoint.apiKey,
        emptyTurn: 'error',
        fetch: side.fetch,
        onProblem: side.noteProblem,
      });
      const agent = new ToolLoopAgent({
        model: kimi(endpoint.model),
        instructions,
        tools,
        toolApproval,
        stopWhen: isStepCount(stepLimit),
      });
      const clock = createThinkingClock();
      try {
        const stream = await createAgentUIStream({
          agent,
          uiMessages: messages,
          abortSignal: signal,
          onError: explain,
          redactToolErrors: false,
        });
        for await (const chunk of stream) {
          // What stands beside a reply has to come before its end.
          if (chunk.type === 'finish' || chunk.type === 'abort') await side.settle();
          writer.write(clock.stamp(chunk as Chunk));
        }
      } finally {
        await onEnd();
        await side.settle();
      }
    },
  });
}

interface SideNotes {
  /** Lets the plain provider read along. */
  readonly fetch: typeof fetch;
  noteProblem(problem: StepProblems['problems'][number]): void;
  /** Resolves when nothing more is to come of the answers so far. */
  settle(): Promise<void>;
}

/** What goes beside the replies, numbered as their steps are. */
function createSideNotes(
  stepsBefore: number,
  secret: string | undefined,
  write: (chunk: Chunk) => void,
): SideNotes {
  const readings: Promise<void>[] = [];
  const problems = new Map<number, StepProblems['problems']>();
  let answers = 0;

  const readAlong = (answer: Response | Promise<Response>, step: number): void => {
    const reading = readPlainReply(answer, secret, (reply) =>
      write({ type: 'data-plain', id: `plain-${step}`, data: { step, ...reply } }),
    );
    readings.push(reading);
  };

  return {
    async fetch(input, init) {
      // A retry takes the place of the attempt that failed.
      const step = stepsBefore + answers;
      try {
        const answer = await fetch(input, init);
        readAlong(answer.clone(), step);
        if (answer.ok) answers += 1;
        return answer;
      } catch (error) {
        if (!init?.signal?.aborted) readAlong(Promise.reject(error), step);
        throw error;
      }
    },
    noteProblem({ code, message }) {
      const step = Math.max(stepsBefore + answers - 1, 0);
      const noted = [...(problems.get(step) ?? []), { code, message }];
      problems.set(step, noted);
      write({ type: 'data-problems', id: `problems-${step}`, data: { step, problems: noted } });
    },
    async settle() {
      await Promise.all(readings);
    },
  };
}

function countSteps(message: ChatMessage | undefined): number {
  if (message?.role !== 'assistant') return 0;
  return message.parts.filter(({ type }) => type === 'step-start').length;
}
