import type { CorpusCase, RequestOutcome } from '@kimi-tc/testing';
import { describeCorpus } from '@kimi-tc/testing/vitest';
import { KimiRequestError, normalizeHistory, normalizeRequest, normalizeToolSchema } from './index.ts';
import type { RequestProblem } from './request/request-problems.ts';

/** The model of a case that names none. */
const MODELS = {
  k2: 'kimi-k2-0905-preview',
  thinking: 'kimi-k2-thinking',
  'k2.5': 'kimi-k2.5',
  k3: 'kimi-k3',
};

const codes = (problems: readonly RequestProblem[]) => problems.map(({ code }) => code);

/** Refused before sending: the field is `null`, and the problems are those of the error. */
function orRefused<Field extends string>(field: Field, run: () => RequestOutcome): RequestOutcome {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof KimiRequestError)) throw error;
    return { [field]: null, problems: codes(error.problems) };
  }
}

function playSchema({ input }: CorpusCase): RequestOutcome {
  if (input.kind !== 'schema') throw new Error(input.kind);
  return orRefused('schema', () => {
    if (input.tools) {
      const { problems } = normalizeRequest({ model: 'kimi-k2.5', tools: input.tools });
      return { problems: codes(problems) };
    }
    const { schema, problems } = normalizeToolSchema(input.schema);
    return { schema, problems: codes(problems) };
  });
}

function playRequest({ input }: CorpusCase): RequestOutcome {
  if (input.kind !== 'request') throw new Error(input.kind);
  const { toolCount, ...request } = input.request;
  const tools = Array.from({ length: Number(toolCount ?? 0) }, (_, at) => ({
    type: 'function',
    function: { name: `tool_${at}`, parameters: { type: 'object', properties: {} } },
  }));
  return orRefused('request', () => {
    const { body, problems } = normalizeRequest({ ...request, ...(tools.length > 0 && { tools }) });
    return { request: body, problems: codes(problems) };
  });
}

function playHistory({ family, input }: CorpusCase): RequestOutcome {
  if (input.kind !== 'history') throw new Error(input.kind);
  const { model = MODELS[family], thinking } = input.request ?? {};
  const { messages, problems } = normalizeHistory(input.messages, String(model), {
    thinking: thinking === undefined ? undefined : (thinking as { type: string }).type === 'enabled',
  });
  return { messages, problems: codes(problems) };
}

function playHistoryInRequest({ family, tools, input }: CorpusCase): RequestOutcome {
  if (input.kind !== 'history') throw new Error(input.kind);
  const { body, problems } = normalizeRequest({
    model: MODELS[family],
    ...input.request,
    messages: input.messages,
    ...(tools && { tools }),
  });
  return { messages: body.messages, problems: codes(problems) };
}

describeCorpus({ name: 'normalizeToolSchema', run: playSchema }, { kinds: ['schema'] });
describeCorpus({ name: 'normalizeRequest', run: playRequest }, { kinds: ['request'] });
describeCorpus({ name: 'normalizeHistory', run: playHistory }, { kinds: ['history'] });
describeCorpus({ name: 'normalizeRequest, history', run: playHistoryInRequest }, { kinds: ['history'] });
