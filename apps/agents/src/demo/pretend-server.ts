import { type BehaviourName, behaviours, startEngine } from '@kimi-tc/testing';
import type { Transport } from '../agent.ts';
import { createTools } from '../tools/create-tools.ts';
import { checkConversation, type Strictness } from './check-conversation.ts';
import { loadScript, type ScriptedTurn } from './script.ts';

/** The server of the demo. */
export interface PretendServer {
  readonly baseURL: string;
  /** What it does to the model's text, in one sentence. */
  readonly behaviour: string;
  /** Requests whose contents were checked and found right. */
  readonly checked: number;
  /**
   * Checks that the conversation went to its end.
   *
   * @throws Error naming what is missing
   */
  checkEnd(answer: string): void;
  stop(): Promise<void>;
}

export interface PretendServerOptions {
  /** The sample project. */
  readonly root: string;
  readonly transport: Transport;
  /** What the agent has to begin with. */
  readonly instructions: string;
  readonly question: string;
  /** Instead of leaving raw tokens in the content. */
  readonly fault?: BehaviourName;
  /** Milliseconds between the pieces of a reply. */
  readonly delayMs: number;
}

/** Starts the pretend engine with the script of the demo. It checks each request before it answers. */
export async function startPretendServer({
  root,
  transport,
  instructions,
  question,
  fault,
  delayMs,
}: PretendServerOptions): Promise<PretendServer> {
  const script = await loadScript(root);
  const tools = await createTools(root);
  const strictness: Strictness = {
    anyIds: fault === 'generated-ids' || fault === 'fresh-id-per-fragment',
    anyText: fault !== undefined,
  };
  let checked = 0;
  const engine = await startEngine({
    delayMs,
    script: script.map((turn, number) => ({
      text: turn.text,
      ...(turn.finishReason && { finishReason: turn.finishReason }),
      behaviour: behaviourOf(turn, fault),
      expect(request) {
        const turns = script.slice(0, number);
        checkConversation(request, { transport, instructions, question, tools, turns }, strictness);
        checked += 1;
      },
    })),
  });
  return {
    baseURL: engine.baseURL,
    behaviour: describe(fault, transport),
    get checked() {
      return checked;
    },
    checkEnd(answer) {
      const turns = new Set(engine.requests.map(({ turn }) => turn)).size;
      if (turns < script.length) {
        throw new Error(`the conversation ended with turn ${turns} of ${script.length}`);
      }
      const expected = script.at(-1)?.content;
      if (!strictness.anyText && answer !== expected)
        throw new Error('the answer is not what the model said');
    },
    stop: () => engine.stop(),
  };
}

/**
 * A fault of a server that parses shows on replies that can be parsed; on the others its server lets
 * the raw text through as well. A logged text stays as it was logged.
 */
function behaviourOf({ form }: ScriptedTurn, fault: BehaviourName | undefined): BehaviourName[] {
  if (fault === undefined) return ['raw-content'];
  if (form === 'well-formed') return [fault];
  const { treat, treatment, editText } = behaviours[fault];
  if (fault === 'healthy' || (form === 'logged' && editText)) return ['raw-content'];
  return treat || treatment ? [fault] : ['raw-content', fault];
}

function describe(fault: BehaviourName | undefined, transport: Transport): string {
  if (fault === undefined && transport === 'completions')
    return 'text-only: Continues prompts with raw text.';
  const name = fault ?? 'raw-content';
  return `${name}: ${behaviours[name].doc}`;
}
