import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { PlainBlock, PlainReply } from '../agent/chat-message.ts';
import { readMessage } from './explain-error.ts';

type Grown = Omit<PlainReply, 'step'>;

/** Milliseconds between two looks at a reply that grows. */
const pace = 120;

/**
 * Reads a server's answer with the AI SDK's OpenAI-compatible provider as it is, without kimi-tc.
 *
 * @param answer the bytes that kimi-tc reads too, or a promise that fails as the connection did
 * @param secret is taken out of errors: servers repeat a key that they refuse
 * @param onChange is called with the whole of what there is, now and then and at the end
 */
export async function readPlainReply(
  answer: Response | Promise<Response>,
  secret: string | undefined,
  onChange: (reply: Grown) => void,
): Promise<void> {
  const model = createOpenAICompatible({
    name: 'plain',
    baseURL: 'http://the-answer-is-here.invalid',
    fetch: async () => answer,
  }).chatModel('kimi');
  const blocks: PlainBlock[] = [];
  const places = new Map<string, number>();
  let finishReason: string | undefined;
  let shownAt = 0;

  const grow = (key: string, add: string, create: () => PlainBlock): void => {
    const at = places.get(key) ?? blocks.push(create()) - 1;
    places.set(key, at);
    const block = blocks[at];
    if (block) blocks[at] = { ...block, text: block.text + add };
  };

  try {
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'The answer is here.' }] }],
    });
    for await (const part of stream) {
      if (part.type === 'reasoning-start' || part.type === 'text-start') places.delete(part.id);
      if (part.type === 'reasoning-delta') grow(part.id, part.delta, () => ({ kind: 'reasoning', text: '' }));
      if (part.type === 'text-delta') grow(part.id, part.delta, () => ({ kind: 'text', text: '' }));
      if (part.type === 'tool-input-start')
        grow(`call ${part.id}`, '', () => ({ kind: 'call', name: part.toolName, text: '' }));
      if (part.type === 'tool-input-delta')
        grow(`call ${part.id}`, part.delta, () => ({ kind: 'call', name: '', text: '' }));
      if (part.type === 'error') blocks.push({ kind: 'error', text: readMessage(part.error, secret) });
      if (part.type === 'finish') finishReason = part.finishReason.unified;
      if (Date.now() - shownAt < pace) continue;
      shownAt = Date.now();
      onChange({ blocks: [...blocks] });
    }
  } catch (error) {
    blocks.push({ kind: 'error', text: readMessage(error, secret) });
  }
  onChange({ blocks, finishReason: finishReason ?? 'error' });
}
