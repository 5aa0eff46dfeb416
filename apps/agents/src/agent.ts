import type { Tool } from './tools/tool.ts';

/** What an agent is made with. */
export type SdkName = 'openai' | 'ai-sdk' | 'langchain';

/** How requests travel: as chats, or as prompts to an endpoint that knows text only. */
export type Transport = 'chat' | 'completions';

/** Where the model is. */
export interface Endpoint {
  readonly baseURL: string;
  /** Never shown. */
  readonly apiKey: string;
  readonly model: string;
  readonly transport: Transport;
  /** Carries the requests. */
  readonly fetch: typeof fetch;
}

/** What every agent of this app is given, whichever SDK it is made with. */
export interface AgentTask {
  readonly endpoint: Endpoint;
  readonly instructions: string;
  readonly question: string;
  readonly tools: readonly Tool[];
  /** Replies that the model may give at most. */
  readonly turnLimit: number;
  readonly signal: AbortSignal;
  /** Hears what happens, while it happens. */
  emit(event: AgentEvent): void;
}

/** How an agent ended, if nothing was thrown. */
export type Outcome =
  | 'answered'
  /** The token limit ended the last reply. */
  | 'cut-off'
  /** The last reply had neither text nor calls, or was withheld. */
  | 'no-answer'
  | 'turn-limit';

/** An agent: answers the question of its task. Throws what its SDK throws. */
export type Agent = (task: AgentTask) => Promise<Outcome>;

/** A field of a chunk that carries text of the model, or says why the text ended. */
export type RawField =
  | 'content'
  | 'reasoning_content'
  | 'reasoning'
  | 'tool_calls'
  /** Of a text completion. */
  | 'text'
  | 'finish_reason';

/** What happens in a run, in order. With `--json`, each is one line. */
export type AgentEvent =
  | {
      type: 'run-start';
      sdk: SdkName;
      model: string;
      endpoint: string;
      transport: Transport;
      /** What the pretend engine does to the model's text; absent with a real endpoint. */
      behaviour?: string;
      question: string;
    }
  | { type: 'turn-start'; turn: number }
  /** What the server sent, as it sent it; only with `--show-raw`. */
  | { type: 'raw-delta'; field: RawField; delta: string }
  | { type: 'reasoning-delta'; delta: string }
  | { type: 'text-delta'; delta: string }
  | { type: 'tool-call-start'; index: number; id: string; name: string }
  | { type: 'tool-call-delta'; index: number; delta: string }
  /** What was wrong in the reply and was dealt with. */
  | { type: 'problem'; code: string; message: string }
  | { type: 'turn-end'; finishReason: string | null }
  /** A call that was cut: it is not run. */
  | { type: 'tool-call-refused'; id: string; name: string; arguments: string }
  | { type: 'tool-result'; id: string; name: string; ok: boolean; summary: string; text: string }
  /** What the agent tells the model between two turns. */
  | { type: 'notice'; text: string }
  | { type: 'answer'; text: string }
  | { type: 'error'; message: string }
  | {
      type: 'run-end';
      outcome: Outcome | 'stopped' | 'failed';
      turns: number;
      /** Calls that ran. */
      callsRun: number;
      /** Calls that were cut and did not run. */
      callsRefused: number;
      /** Requests that the pretend engine checked; absent with a real endpoint. */
      checked?: number;
    };
