import { safeValidateUIMessages } from 'ai';
import { z } from 'zod';
import type { ChatMessage } from '../agent/chat-message.ts';
import { tools } from '../agent/tools.ts';
import { messageLimit, textLimit } from './limits.ts';
import { Refusal } from './refusal.ts';

export interface ChatRequest {
  readonly messages: ChatMessage[];
  /** The id of a server, see `listServers`. */
  readonly server: string;
}

const envelope = z.strictObject({
  messages: z.array(z.unknown()).min(1).max(messageLimit),
  server: z.string().max(80),
});

/**
 * @throws Refusal with status 400 naming what is wrong
 */
export async function readChatRequest(body: unknown): Promise<ChatRequest> {
  const shape = envelope.safeParse(body);
  if (!shape.success) throw new Refusal(400, z.prettifyError(shape.error));
  const found = await safeValidateUIMessages<ChatMessage>({
    messages: shape.data.messages,
    tools,
    dataSchemas: { plain: z.never(), problems: z.never(), cut: z.never() },
  });
  if (!found.success) throw new Refusal(400, `messages: ${shorten(found.error.message)}`);
  checkMessages(found.data);
  return { messages: found.data, server: shape.data.server };
}

function checkMessages(messages: readonly ChatMessage[]): void {
  for (const { role, parts } of messages) {
    if (role === 'system')
      throw new Refusal(400, 'messages: a system message is not for the browser to send.');
    if (parts.some(({ type }) => type === 'file')) throw new Refusal(400, 'messages: files are not taken.');
    const length = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
    if (role === 'user' && length > textLimit) {
      throw new Refusal(400, `messages: one of the user's has more than ${textLimit} characters.`);
    }
  }
  const last = messages.at(-1);
  const goesOn = last?.parts.some((part) => 'state' in part && part.state === 'approval-responded');
  if (last?.role !== 'user' && !goesOn) {
    throw new Refusal(
      400,
      'messages: the last one has to be a question, or hold an approval that was answered.',
    );
  }
}

/** The AI SDK repeats the whole value in its messages. */
function shorten(message: string): string {
  return message.length <= 300 ? message : `${message.slice(0, 120)} … ${message.slice(-160)}`;
}
