import type { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages';

/** Whether the content of a message is LangChain's standard blocks, as models have it by `outputVersion: 'v1'`. */
export function hasStandardContent({ response_metadata }: BaseMessage): boolean {
  return response_metadata.output_version === 'v1';
}

/** The same message, or chunk of one, with its blocks as its content, as LangChain's models do it. */
export function withStandardContent<Message extends AIMessage | AIMessageChunk>(message: Message): Message {
  const Class = message.constructor as new (fields: object) => Message;
  return new Class({
    ...message,
    content: message.contentBlocks,
    response_metadata: { ...message.response_metadata, output_version: 'v1' },
  });
}
