import type { AgentTask, Outcome } from './agent.ts';
import type { Call } from './tools/run-call.ts';

/** One reply of the model, complete. */
export interface Reply {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly Call[];
  /** As the SDK has it. */
  readonly finishReason: string | null;
}

/** Takes what an SDK streams, tells of each delta, and puts the reply together. */
export interface ReplyCollector {
  reasoning(delta: string): void;
  text(delta: string): void;
  /** A delta of a call, whatever the SDK tells its calls apart by. The first one has id and name. */
  call(key: string | number, delta: { id?: string; name?: string; arguments?: string }): void;
  /** Says why the reply ended, if `finishReason` does; the last word counts. */
  end(finishReason: string | null | undefined): void;
  reply(): Reply;
}

export function createReplyCollector(emit: AgentTask['emit']): ReplyCollector {
  let reasoning = '';
  let text = '';
  let finishReason: string | null = null;
  const calls = new Map<string | number, { index: number; id: string; name: string; arguments: string }>();
  return {
    reasoning(delta) {
      if (delta === '') return;
      reasoning += delta;
      emit({ type: 'reasoning-delta', delta });
    },
    text(delta) {
      if (delta === '') return;
      text += delta;
      emit({ type: 'text-delta', delta });
    },
    call(key, { id = '', name = '', arguments: delta = '' }) {
      let call = calls.get(key);
      if (!call) {
        call = { index: calls.size, id, name, arguments: '' };
        calls.set(key, call);
        emit({ type: 'tool-call-start', index: call.index, id, name });
      }
      if (delta === '') return;
      call.arguments += delta;
      emit({ type: 'tool-call-delta', index: call.index, delta });
    },
    end(reason) {
      finishReason = reason ?? finishReason;
    },
    reply: () => ({ reasoning, text, calls: [...calls.values()], finishReason }),
  };
}

/** What a reply without calls is. */
export function finish(task: AgentTask, { text, finishReason }: Reply): Outcome {
  if (finishReason === 'length') return 'cut-off';
  if (text.trim() === '' || /^content.filter$/.test(finishReason ?? '')) return 'no-answer';
  task.emit({ type: 'answer', text });
  return 'answered';
}
