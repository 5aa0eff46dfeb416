import {
  createAssembler,
  createParser,
  KimiError,
  type KimiEvent,
  type KimiParser,
  type KimiTurn,
  type ParserOptions,
} from '@kimi-tc/core';
import { AIMessage, AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import { BaseTransformOutputParser, OutputParserException } from '@langchain/core/output_parsers';
import type { ChatGeneration, Generation } from '@langchain/core/outputs';
import type { RunnableConfig } from '@langchain/core/runnables';
import { registerBlockTranslator } from './block-translator.ts';
import { createChunkWriter } from './chunk-writer.ts';
import { feedMessage, feedPart, isRead, readRest } from './message-reader.ts';
import { type KimiReplyOptions, toParserOptions } from './parser-settings.ts';
import { hasStandardContent, withStandardContent } from './standard-content.ts';
import { toAIMessage } from './to-ai-message.ts';

/**
 * Reads the replies of Kimi models from whatever returns text or messages, and gives messages with tool
 * calls and reasoning: `model.pipe(new KimiOutputParser({ tools }))`. Streams as the text comes, and reads
 * nothing twice. Calls that a server has parsed itself pass.
 *
 * As with LangChain's chat models `invoke` gives an `AIMessage`, and `stream` `AIMessageChunk`s.
 */
export class KimiOutputParser extends BaseTransformOutputParser<AIMessageChunk> {
  static override lc_name(): string {
    return 'KimiOutputParser';
  }

  override lc_namespace: string[] = ['langchain', 'output_parsers', 'kimi'];
  override lc_serializable: boolean = true;
  private readonly options: ParserOptions;
  private readonly onProblem: KimiReplyOptions['onProblem'];

  /** @throws KimiError naming the option that is wrong */
  constructor(options: KimiReplyOptions = {}) {
    const settings = toParserOptions(options);
    super(settings);
    registerBlockTranslator();
    this.options = settings;
    this.onProblem = options.onProblem;
  }

  override _type(): string {
    return 'kimi';
  }

  override getFormatInstructions(): string {
    return '';
  }

  /** @throws KimiError if the input is neither text nor a message */
  override async invoke(input: string | BaseMessage, options?: RunnableConfig): Promise<AIMessageChunk> {
    expectReply(input);
    return await super.invoke(input, options);
  }

  /** Reads text that is known to be whole. */
  override async parse(text: string): Promise<AIMessageChunk> {
    return asChunk(toAIMessage(this.read((parser) => parser.feed(text), 'stop')));
  }

  /**
   * Reads the first of the generations: its message, if it has one, and else its text.
   *
   * @throws OutputParserException if there is none
   */
  override async parseResult(generations: Generation[] | ChatGeneration[]): Promise<AIMessageChunk> {
    const [generation] = generations;
    if (!generation) throw new OutputParserException('There is no generation to read.');
    const { text, generationInfo } = generation;
    const message = 'message' in generation ? generation.message : undefined;
    const told: unknown = generationInfo?.finish_reason;
    const finishReason = typeof told === 'string' ? told : undefined;
    if (!BaseMessage.isInstance(message)) {
      return asChunk(toAIMessage(this.read((parser) => parser.feed(text), finishReason ?? 'stop')));
    }
    if (isRead(message)) return message as AIMessageChunk;
    const { blocks, finishReason: own, ...metadata } = readRest(message);
    const turn = this.read((parser) => feedMessage(parser, message), own ?? finishReason);
    const { id, name } = message;
    const { usage_metadata } = AIMessage.isInstance(message) ? message : {};
    const texts = turn.content === '' ? [] : [{ type: 'text', text: turn.content }];
    const content = blocks.length > 0 ? [...texts, ...blocks] : undefined;
    const reply = toAIMessage(turn, { ...metadata, id, name, content, usage_metadata });
    return asChunk(hasStandardContent(message) ? withStandardContent(reply) : reply);
  }

  /** Whole text in one go. */
  private read(feed: (parser: KimiParser) => void, finishReason: string | undefined): KimiTurn {
    const assembler = createAssembler();
    const parser = this.createParser(assembler.push);
    feed(parser);
    parser.end(finishReason);
    return assembler.turn;
  }

  private createParser(onEvent: (event: KimiEvent) => void): KimiParser {
    return createParser({
      ...this.options,
      onEvent: (event) => {
        if (event.type === 'problem') {
          const { type: _, ...problem } = event;
          this.onProblem?.(problem);
        }
        onEvent(event);
      },
    });
  }

  override async *_transform(source: AsyncGenerator<string | BaseMessage>): AsyncGenerator<AIMessageChunk> {
    const writer = createChunkWriter();
    const parser = this.createParser(writer.push);
    let finishReason: string | undefined;
    let isText = false;
    let passed = false;
    let isStandard = false;
    const take = () => (isStandard ? writer.take().map(withStandardContent) : writer.take());
    for await (const part of source) {
      expectReply(part);
      if (typeof part !== 'string' && isRead(part)) {
        passed = true;
        yield part as AIMessageChunk;
        continue;
      }
      if (typeof part === 'string') {
        isText = true;
        parser.feed(part);
      } else {
        const { finishReason: told, ...rest } = readRest(part);
        isStandard ||= hasStandardContent(part);
        finishReason = told ?? finishReason;
        writer.pass(part, rest);
        if (AIMessageChunk.isInstance(part)) feedPart(parser, part);
        else feedMessage(parser, part);
      }
      yield* take();
    }
    if (passed) return;
    // Text has no place for a reason, and ends when it is whole.
    parser.end(finishReason ?? (isText ? 'stop' : undefined));
    yield* take();
  }
}

function expectReply(input: unknown): void {
  if (typeof input === 'string' || BaseMessage.isInstance(input)) return;
  const got = input === null ? 'null' : Array.isArray(input) ? 'a list' : typeof input;
  throw new KimiError('input', `input: expected text or a message, got ${got}`);
}

/** LangChain types whole replies so, although they are not. */
function asChunk(message: AIMessage): AIMessageChunk {
  return message as AIMessageChunk;
}
