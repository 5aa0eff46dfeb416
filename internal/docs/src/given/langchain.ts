import { tool } from '@langchain/core/tools';
import { FakeListChatModel, FakeStreamingLLM } from '@langchain/core/utils/testing';
import { z } from 'zod';
import { run, text } from './shared.ts';

export const tools = [
  tool((input: { path: string }) => run('read_file', input), {
    name: 'read_file',
    description: 'Reads a file.',
    schema: z.object({ path: z.string() }),
  }),
];

export const llm: FakeStreamingLLM = new FakeStreamingLLM({ responses: [text] });

/** A model class of somebody else, which has the raw reply once, and then a word. */
class OtherModel extends FakeListChatModel {
  override bindTools(): this {
    return this;
  }
}

export const otherModel: OtherModel = new OtherModel({ responses: [text, 'It is a program.'] });
