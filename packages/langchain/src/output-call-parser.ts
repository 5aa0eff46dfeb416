import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { OutputParserException } from '@langchain/core/output_parsers';
import { JsonOutputKeyToolsParser } from '@langchain/core/output_parsers/openai_tools';
import type { ChatGeneration } from '@langchain/core/outputs';
import { concat } from '@langchain/core/utils/stream';
import { whyInvalid } from './why-invalid.ts';

/**
 * Takes the structured output from the call that was asked for. Where there is none, or it must not run,
 * LangChain's own parser gives `undefined`, and the last part of a stream as if it were the whole.
 */
export class OutputCallParser<Output extends object> extends JsonOutputKeyToolsParser<Output> {
  static override lc_name(): string {
    return 'OutputCallParser';
  }

  /** @throws OutputParserException if there is no call that can be read, or it does not fit the schema */
  override async parseResult(generations: ChatGeneration[]): Promise<Output> {
    const message = generations[0]?.message;
    if (message) this.expectCall(message);
    return await super.parseResult(generations);
  }

  /** @throws OutputParserException behind the last part, if the whole has no call that can be read */
  override async *_transform(source: AsyncGenerator<string | BaseMessage>): AsyncGenerator<Output> {
    const parts: AIMessageChunk[] = [];
    async function* keepParts(): AsyncGenerator<string | BaseMessage> {
      for await (const part of source) {
        if (AIMessageChunk.isInstance(part)) parts.push(part);
        yield part;
      }
    }
    yield* super._transform(keepParts());
    const [first, ...rest] = parts;
    if (first) this.expectCall(rest.reduce((whole, part) => concat(whole, part), first));
  }

  private expectCall(message: BaseMessage): void {
    const { tool_calls = [], invalid_tool_calls = [] } = message as AIMessageChunk;
    if (tool_calls.some(({ name }) => name === this.keyName)) return;
    const invalid = invalid_tool_calls.find(({ name }) => name === this.keyName);
    const why = invalid
      ? `the one it has cannot be read, because ${whyInvalid(invalid, message)}`
      : 'it has none';
    throw new OutputParserException(`Expected a call of ${this.keyName} in the reply: ${why}.`, message.text);
  }
}
