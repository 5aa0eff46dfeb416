import type { CorpusCase } from './case.ts';
import { describeCorpus } from './describe-corpus.ts';
import { loadCases } from './load-cases.ts';
import type { Outcome } from './outcome.ts';

/** A surface that gives the expected answers proves that every case and the comparison agree. */
function answer(of: CorpusCase): Outcome {
  const { expected } = of;
  if (expected.finishReason === undefined) {
    const { messages, schema, request, problems = [] } = expected;
    const history = of.input.kind === 'history' ? of.input.messages : undefined;
    return { messages: messages ?? (history && uniqueIds(history)) ?? null, schema, request, problems };
  }
  return {
    reasoning: expected.reasoning ?? '',
    content: expected.content ?? '',
    toolCalls: (expected.toolCalls ?? []).map((call) => ({
      index: call.index,
      id: call.id ?? `any-${call.index}`,
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    })),
    incompleteToolCalls: (expected.incompleteToolCalls ?? []).map((call) => ({
      name: call.name ?? '',
      arguments: call.arguments ?? '',
    })),
    finishReason: expected.finishReason,
    problems: expected.problems ?? [],
    usage: expected.usage,
    finishEvents: 1,
  };
}

/** The one history case without expected messages asks for unique ids. */
function uniqueIds(messages: readonly object[]): unknown[] {
  let count = 0;
  return JSON.parse(JSON.stringify(messages), (key, value) => {
    if (key === 'id') return `call-${++count}`;
    return key === 'tool_call_id' ? `call-${count}` : value;
  });
}

describeCorpus(
  { name: 'the expected answers', run: answer },
  { chunkings: ['as-given'], topics: [...new Set(loadCases().map(({ topic }) => topic))] },
);
