import { CUT_ARGUMENTS_SEAL } from '@kimi-tc/core';
import { type BaseMessage, HumanMessage, type InvalidToolCall, ToolMessage } from '@langchain/core/messages';
import { invalidCallsOf } from './kimi-history.ts';
import { whyInvalid } from './why-invalid.ts';

/** UTF-16 units of a call's arguments that the model is shown again. */
const MOST_SHOWN = 1000;

/** Tells what is written here as by the user from what users write. */
const FEEDBACK = { kimi: 'feedback' };

/**
 * What the model is told about the calls of its reply that could not run: an answer to each call that has
 * an id and a name; if there is none, and nothing else that runs, a message as from the user.
 */
export function toFeedback(reply: BaseMessage, runs: boolean): BaseMessage[] {
  const calls = invalidCallsOf(reply);
  const answers = calls.flatMap((call) =>
    call.id && call.name
      ? [
          new ToolMessage({
            tool_call_id: call.id,
            name: call.name,
            status: 'error',
            content: describe(call, reply),
          }),
        ]
      : [],
  );
  const [first] = calls;
  if (answers.length > 0 || runs || !first) return answers;
  return [new HumanMessage({ content: describe(first, reply), additional_kwargs: FEEDBACK })];
}

export function isFeedback({ additional_kwargs }: BaseMessage): boolean {
  return additional_kwargs.kimi === FEEDBACK.kimi;
}

function describe(call: InvalidToolCall, reply: BaseMessage): string {
  const { args = '' } = call;
  const text = args.split(CUT_ARGUMENTS_SEAL)[0] ?? '';
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const seen = shown === '' ? '' : ` What arrived of its arguments: ${shown}`;
  return `Error: the tool call was not run, because ${whyInvalid(call, reply)}.${seen}\nCall the tool again, with one complete JSON object as its arguments.`;
}
