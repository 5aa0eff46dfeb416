import { fileURLToPath } from 'node:url';
import { type Script, startEngine } from '@kimi-tc/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent, AgentTask, Outcome, SdkName, Transport } from './agent.ts';
import { agents } from './agents.ts';
import { type PretendServer, startPretendServer } from './demo/pretend-server.ts';
import { question } from './demo/script.ts';
import { createTools } from './tools/create-tools.ts';

const root = fileURLToPath(new URL('../sample-project', import.meta.url));

const instructions = 'Answer.';

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const sdks = Object.keys(agents) as SdkName[];

async function ask(
  sdk: SdkName,
  baseURL: string,
  more: Partial<AgentTask & { fetch: typeof fetch; transport: Transport }> = {},
): Promise<{ outcome: Outcome; events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  const runAgent = await agents[sdk]();
  const outcome = await runAgent({
    endpoint: {
      baseURL,
      apiKey: 'none',
      model: 'kimi-k2-thinking',
      transport: more.transport ?? 'chat',
      fetch: more.fetch ?? fetch,
    },
    instructions,
    question,
    tools: await createTools(root),
    turnLimit: 20,
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    ...more,
  });
  return { outcome, events };
}

async function askEngine(
  sdk: SdkName,
  script: Script,
  turnLimit = 20,
): Promise<{ outcome: Outcome; events: AgentEvent[]; bodies: { messages: Record<string, unknown>[] }[] }> {
  const engine = await startEngine({ script, behaviour: 'raw-content' });
  stops.push(() => engine.stop());
  const result = await ask(sdk, engine.baseURL, { turnLimit });
  return {
    ...result,
    bodies: engine.requests.map(({ body }) => body as { messages: Record<string, unknown>[] }),
  };
}

function toSection(...calls: [id: string, json: string][]): string {
  const parts = calls.map(
    ([id, json]) => `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`,
  );
  return `<|tool_calls_section_begin|>${parts.join('')}<|tool_calls_section_end|>`;
}

describe.each(sdks)('%s: the loop', (sdk) => {
  it('ends at the turn limit', async () => {
    const { outcome, bodies } = await askEngine(
      sdk,
      ({ turn }) => toSection([`functions.calculator:${turn}`, '{"expression": "1"}']),
      3,
    );
    expect(outcome).toBe('turn-limit');
    expect(bodies).toHaveLength(3);
  });

  it('runs what is complete beside a call that was cut, and sends back nothing of the other', async () => {
    const { outcome, events, bodies } = await askEngine(sdk, [
      {
        text: `${toSection(['functions.calculator:0', '{"expression": "6 * 7"}']).replace('<|tool_calls_section_end|>', '')}<|tool_call_begin|>functions.read_file:1<|tool_call_argument_begin|>{"args": [{"pa`,
        finishReason: 'length',
      },
      'It is 42.',
    ]);
    expect(outcome).toBe('answered');
    expect(bodies[1]?.messages.slice(2)).toMatchObject([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'functions.calculator:0',
            type: 'function',
            function: {
              name: 'calculator',
              // Hosts that parse arguments write them again.
              arguments: expect.stringMatching(/^\{"expression": ?"6 \* 7"\}$/),
            },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.calculator:0', content: '42' },
      { role: 'user', content: expect.stringMatching(/^Your call of read_file was cut off and did not run/) },
    ]);
    expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(1);
  });

  it('answers a call that goes wrong with the reason', async () => {
    const { outcome, bodies } = await askEngine(sdk, [
      toSection(
        ['functions.read_file:0', '{"args": [{"path": "../../package.json"}]}'],
        ['functions.delete_file:1', '{}'],
        ['functions.list_files:2', '{"path": "/"}'],
      ),
      'I may not.',
    ]);
    expect(outcome).toBe('answered');
    expect(bodies[1]?.messages.slice(3).map(({ content }) => content)).toEqual([
      expect.stringContaining("'..' is refused"),
      expect.stringContaining('there is no tool delete_file'),
      expect.stringContaining('absolute paths are refused'),
    ]);
  });

  it.each([
    ['an answer that was cut', { text: 'The answer is', finishReason: 'length' }, 'cut-off'],
    ['a thought alone', { text: '<think>Hm.</think>' }, 'no-answer'],
    ['an answer that was withheld', { text: 'It', finishReason: 'content_filter' }, 'no-answer'],
  ] as const)('does not take %s for an answer', async (_, turn, expected) => {
    const { outcome, events } = await askEngine(sdk, [turn]);
    expect(outcome).toBe(expected);
    expect(events.filter(({ type }) => type === 'answer')).toEqual([]);
  });
});

interface Message {
  role: string;
  content: string | null;
  reasoning_content?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** What an agent could do wrong with the history, and what the engine has to say about it. */
const mistakes: [what: string, change: (messages: Message[]) => void, message: RegExp][] = [
  [
    'drops the reasoning',
    (messages) => {
      for (const message of messages) delete message.reasoning_content;
    },
    /reply 3 came back wrong: its reasoning_content is ""/,
  ],
  [
    'keeps markup in the content',
    (messages) => {
      const reply = messages.find(({ role }) => role === 'assistant');
      if (reply) reply.content = '</args>';
    },
    /reply 1 came back wrong: its content is/,
  ],
  [
    'makes up ids',
    (messages) => {
      for (const message of messages) {
        if (message.tool_call_id) message.tool_call_id = `call_${message.tool_call_id}`;
        for (const call of message.tool_calls ?? []) call.id = `call_${call.id}`;
      }
    },
    /reply 1 came back wrong: the id of functions.read_file:0 is/,
  ],
  [
    'mixes up results',
    (messages) => {
      const results = messages.filter(({ role }) => role === 'tool');
      const [a, b] = [results[2], results[3]];
      if (a && b) [a.content, b.content] = [b.content, a.content];
    },
    /reply 3 came back wrong: the result of functions.search_text:4 lacks/,
  ],
  [
    'makes up a result',
    (messages) => {
      for (const message of messages) if (message.role === 'tool') message.content = 'done';
    },
    /reply 1 came back wrong: the result of functions.read_file:0 lacks/,
  ],
  [
    'changes arguments',
    (messages) => {
      for (const call of messages.flatMap((message) => message.tool_calls ?? []))
        call.function.arguments = '{}';
    },
    /reply 1 came back wrong: the arguments of functions.read_file:0 are/,
  ],
  [
    'runs the call that was cut',
    (messages) => {
      const at = messages.findLastIndex(({ content }) => content?.includes('did not run'));
      const reply = messages[at - 1];
      if (at === -1 || !reply) return;
      const id = 'functions.read_file:8';
      reply.tool_calls = [{ id, function: { name: 'read_file', arguments: '{"args": []}' } }];
      messages.splice(at, 1, { role: 'tool', content: '', tool_call_id: id });
    },
    /reply 6 came back wrong: expected 0 calls, got 1/,
  ],
  [
    'forgets to tell of the call that was cut',
    (messages) => {
      const notice = messages.find(({ content }) => content?.includes('did not run'));
      if (notice) notice.content = 'Go on.';
    },
    /reply 6 came back wrong: nothing says that functions.read_file:8 did not run/,
  ],
];

async function startDemoServer(transport: Transport): Promise<PretendServer> {
  const server = await startPretendServer({ root, delayMs: 0, transport, instructions, question });
  stops.push(() => server.stop());
  return server;
}

/** Puts a change between the agent and the server. */
function changing<Body>(change: (body: Body) => void): typeof fetch {
  return (input, init) => {
    const body = JSON.parse(String(init?.body)) as Body;
    change(body);
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };
}

describe.each(sdks)('%s: the engine of the demo notices an agent that', (sdk) => {
  it.each(mistakes)('%s', async (_, change, message) => {
    const server = await startDemoServer('chat');
    const wrongly = changing<{ messages: Message[] }>(({ messages }) => change(messages));
    await expect(ask(sdk, server.baseURL, { fetch: wrongly })).rejects.toThrow(message);
  });

  it('leaves early', async () => {
    const server = await startDemoServer('chat');
    expect((await ask(sdk, server.baseURL, { turnLimit: 2 })).outcome).toBe('turn-limit');
    expect(() => server.checkEnd('')).toThrow('the conversation ended with turn 2 of 8');
  });
});

/** What could be wrong with a prompt. */
const promptMistakes: [what: string, change: (prompt: string) => string, message: RegExp][] = [
  [
    'without a thought of the running loop',
    (prompt) => prompt.replace(/<think>t\(\) takes.*?<\/think>/s, '<think></think>'),
    /reply 3 came back wrong: its reasoning_content is ""/,
  ],
  [
    'with a thought that is over',
    (prompt) =>
      prompt.replace(
        '<think></think>Last, whether',
        '<think>Does any text go around t()?</think>Last, whether',
      ),
    /reply 6 came back wrong: its thought is over and still there/,
  ],
  [
    'with a thought that is not closed',
    (prompt) => prompt.replace('</think>', ''),
    /message 3 of the prompt has no closed thought/,
  ],
  [
    'with another id',
    (prompt) => prompt.replaceAll('functions.read_file:0', 'call_0'),
    /reply 1 came back wrong: the id of functions.read_file:0 is "call_0"/,
  ],
  [
    'with a result of another call',
    (prompt) =>
      prompt.replace('## Return of functions.read_file:0\n', '## Return of functions.read_file:1\n'),
    /reply 1 came back wrong: a result is for "functions.read_file:1", not for "functions.read_file:0"/,
  ],
  [
    'with a result that is of nothing',
    (prompt) => prompt.replace('## Return of functions.read_file:0\n', ''),
    /is a result without an id/,
  ],
  [
    'with a call that was cut',
    (prompt) =>
      prompt.replace(
        '<think></think>Last, whether other texts are affected.',
        (found) =>
          `${found}<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:8<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`,
      ),
    /reply 6 came back wrong: expected 0 calls, got 1/,
  ],
  [
    'with a cut call in its text',
    (prompt) => prompt.replace('did not run', 'did not run (functions.read_file:8)'),
    /reply 6 came back wrong: functions.read_file:8 was cut and is there all the same/,
  ],
  [
    'with a section that is not closed',
    (prompt) => prompt.replace('<|tool_calls_section_end|>', ''),
    /has <\|tool_calls_section_begin\|> in its text/,
  ],
  [
    'without a tool',
    (prompt) => prompt.replace('"name":"calculator"', '"name":"abacus"'),
    /check failed: the tools are/,
  ],
  ['without tools', (prompt) => prompt.replace(/^.*?<\|im_end\|>/s, ''), /check failed: the tools are \[\]/],
  [
    'without the instructions',
    (prompt) => prompt.replace('Answer.', 'You are Kimi, an AI assistant created by Moonshot AI.'),
    /check failed: no question/,
  ],
  [
    'that leaves no turn to the model',
    (prompt) => prompt.replace(/<\|im_assistant\|>assistant<\|im_middle\|>$/, ''),
    /the prompt does not end in/,
  ],
];

describe.each(sdks)('%s: the engine of the demo notices a prompt', (sdk) => {
  it.each(promptMistakes)('%s', async (_, change, message) => {
    const server = await startDemoServer('completions');
    const wrongly = changing<{ prompt: string }>((body) => {
      body.prompt = change(body.prompt);
    });
    await expect(ask(sdk, server.baseURL, { transport: 'completions', fetch: wrongly })).rejects.toThrow(
      message,
    );
  });

  it('that stops nowhere', async () => {
    const server = await startDemoServer('completions');
    const wrongly = changing<{ stop?: string[] }>((body) => {
      body.stop = [];
    });
    await expect(ask(sdk, server.baseURL, { transport: 'completions', fetch: wrongly })).rejects.toThrow(
      'check failed: it stops at []',
    );
  });

  it('that is a chat', async () => {
    const server = await startDemoServer('completions');
    await expect(ask(sdk, server.baseURL)).rejects.toThrow(
      'check failed: expected a prompt, and nothing of a chat',
    );
  });
});
