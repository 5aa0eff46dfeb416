import { isObject } from './arguments.ts';
import { type Tool, ToolError } from './tool.ts';

/** A call as an SDK gives it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

export interface CallResult {
  readonly ok: boolean;
  /** What the model gets, also of a call that went wrong. */
  readonly text: string;
  /** What it was, in a few words, for people. */
  readonly summary: string;
}

/**
 * Whether a call may run: a call that was cut has arguments that do not parse. Such a call is not sent
 * back to the model either, as many servers cannot read it.
 */
export function isRunnable(call: Call): boolean {
  try {
    JSON.parse(call.arguments);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a call whose arguments parse. What goes wrong is told to the model.
 *
 * @throws what `signal` was aborted with
 */
export async function runCall(tools: readonly Tool[], call: Call, signal: AbortSignal): Promise<CallResult> {
  try {
    signal.throwIfAborted();
    const tool = tools.find(({ name }) => name === call.name);
    if (!tool) throw new ToolError(`there is no tool ${call.name}; there are: ${namesOf(tools)}`);
    const args: unknown = JSON.parse(call.arguments);
    if (!isObject(args)) throw new ToolError('the arguments must be a JSON object');
    return { ok: true, ...(await tool.run(args, signal)) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const message = error instanceof ToolError ? error.message : 'the tool failed; the fault is not yours';
    return { ok: false, text: `error: ${message}`, summary: message };
  }
}

function namesOf(tools: readonly Tool[]): string {
  return tools.map(({ name }) => name).join(', ');
}
