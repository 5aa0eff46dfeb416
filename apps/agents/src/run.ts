import type { AgentEvent, Outcome } from './agent.ts';
import { agents } from './agents.ts';
import { type PretendServer, startPretendServer } from './demo/pretend-server.ts';
import { question as defaultQuestion } from './demo/script.ts';
import { describeFailure } from './failure.ts';
import { defaultModel, type Options } from './options.ts';
import { createRawTap } from './raw-tap.ts';
import { createTools } from './tools/create-tools.ts';

/** Replies that the model may give. */
const turnLimit = 20;

const instructions =
  'You answer questions about the project in the current folder. Look into its files with your tools, ' +
  'as much as you need and no more. Then answer in a few sentences, and name files and lines.';

/** Runs the agent once and tells of everything that happens. Does not throw for what can go wrong outside. */
export async function run(
  options: Options,
  root: string,
  delayMs: number,
  view: (event: AgentEvent) => void,
  signal: AbortSignal,
): Promise<Outcome | 'stopped' | 'failed'> {
  const tally = { turns: 0, callsRun: 0, callsRefused: 0 };
  let answer = '';
  const emit = (event: AgentEvent): void => {
    if (signal.aborted && event.type !== 'run-end') return;
    if (event.type === 'turn-start') tally.turns += 1;
    if (event.type === 'tool-result') tally.callsRun += 1;
    if (event.type === 'tool-call-refused') tally.callsRefused += 1;
    if (event.type === 'answer') answer = event.text;
    view(event);
  };

  const { fault, sdk, transport, endpoint = undefined, question = defaultQuestion } = options;
  const model = endpoint?.model ?? defaultModel;

  let server: PretendServer | undefined;
  let outcome: Outcome | 'stopped' | 'failed';
  try {
    const asked = { root, delayMs, transport, instructions, question, ...(fault && { fault }) };
    server = endpoint ? undefined : await startPretendServer(asked);
    const baseURL = endpoint?.baseURL ?? server?.baseURL ?? '';
    emit({
      type: 'run-start',
      sdk,
      model,
      endpoint: withoutQuery(baseURL),
      transport,
      ...(server && { behaviour: server.behaviour }),
      question,
    });
    const runAgent = await agents[sdk]();
    outcome = await runAgent({
      endpoint: {
        baseURL,
        // Many servers want no key, but an SDK sends one always.
        apiKey: endpoint?.apiKey ?? 'none',
        model,
        transport,
        fetch: options.showRaw
          ? createRawTap((field, delta) => emit({ type: 'raw-delta', field, delta }))
          : fetch,
      },
      instructions,
      question,
      tools: await createTools(root),
      turnLimit,
      signal,
      emit,
    });
    if (outcome === 'answered') server?.checkEnd(answer);
  } catch (error) {
    outcome = signal.aborted ? 'stopped' : 'failed';
    emit({ type: 'error', message: describeFailure(error, endpoint?.apiKey) });
  } finally {
    await server?.stop();
  }
  emit({ type: 'run-end', outcome, ...tally, ...checkedBy(server) });
  return outcome;
}

function checkedBy(server: PretendServer | undefined): { checked?: number } {
  return server ? { checked: server.checked } : {};
}

/** A query may hold a key. */
function withoutQuery(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
