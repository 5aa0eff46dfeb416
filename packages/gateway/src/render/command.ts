import {
  normalizeRequest,
  type PromptInput,
  renderPromptSegments,
  type SpecialTokensInText,
} from '@kimi-tc/core';
import { Command, Option } from 'commander';
import { readJson } from '../terminal/read-input.ts';
import { readTools } from '../terminal/tools-option.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { writeText } from '../terminal/write-text.ts';

interface Flags {
  readonly model?: string;
  readonly tools?: string;
  /** `undefined` if the flag was not given. */
  readonly thinking?: boolean;
  readonly preserveThinking?: boolean;
  readonly generationPrompt: boolean;
  readonly specialTokens?: SpecialTokensInText;
  readonly normalize?: boolean;
  readonly segments?: boolean;
}

const examples = `
Examples:
  The prompt of a chat request, byte for byte as the model's own chat template makes it:
    $ kimi-tc render request.json

  Messages alone, for another model, with tools from a file:
    $ kimi-tc render messages.json --model kimi-k2.5 --tools tools.json --no-thinking

  What a server without a chat template would be sent, with history and ids put right first:
    $ kimi-tc render request.json --normalize | jq -Rs '{model: "kimi-k2", prompt: ., stop: ["<|im_end|>"]}' \\
        | curl -s $URL/completions -H 'content-type: application/json' -d @-

  Where does a web page in a tool result pose as a control token?
    $ kimi-tc render request.json --special-tokens reject

Exit codes: 0 done; 2 the input cannot be rendered.`;

/** `kimi-tc render`: messages to the prompt of a model. */
export function createRenderCommand(): Command {
  return new Command('render')
    .summary('messages and tools to the prompt text of a model')
    .description(
      "Prints the prompt that the model's own chat template makes of a conversation. Reads a chat request ({ messages, tools, model, … }), or an array of messages.",
    )
    .argument('[file]', 'JSON to read; default: the standard input')
    .option('--model <id>', 'model id, or family: the prompt format; default: the model of the request')
    .option(
      '--tools <file>',
      'tools: a JSON array, or a request they stand in; default: those of the request',
    )
    .option('--thinking', 'K2.5, K2.6: let the model think (default)')
    .option('--no-thinking', 'K2.5, K2.6: do not let the model think')
    .option('--preserve-thinking', 'K2.6: keep the thoughts of finished answers')
    .option('--no-generation-prompt', "do not end with the beginning of the assistant's turn")
    .addOption(
      new Option('--special-tokens <mode>', 'text that spells a control token').choices([
        'keep',
        'break',
        'reject',
      ]),
    )
    .option('--normalize', 'put ids, reasoning, contents and stored text of the history right first')
    .option('--segments', 'print JSON: the pieces of the prompt, control tokens told from text')
    .addHelpText('after', examples)
    .action(async (file: string | undefined, flags: Flags) => {
      const segments = renderPromptSegments(await toPromptInput(file, flags));
      const text = flags.segments
        ? `${JSON.stringify(segments)}\n`
        : segments.map((segment) => segment.text).join('');
      await writeText(process.stdout, text);
    });
}

/** Only parameters are read; messages and tools stay as they were given. */
const asGiven = { ids: false, messages: false, reasoning: false, toolNames: false, toolSchemas: false };

async function toPromptInput(file: string | undefined, flags: Flags): Promise<PromptInput> {
  const request = toRequest(await readJson(file), file ?? 'stdin');
  const model = flags.model ?? request.model;
  if (typeof model !== 'string' || model === '') {
    throw new UsageError('--model: the input names no model; tell its id or family, e.g. --model kimi-k2.5');
  }
  const tools = (await readTools(flags.tools)) ?? request.tools;
  // The rules of engines: by them, whatever says whether the model thinks ends in the template arguments.
  const { body } = normalizeRequest({ ...request, model, tools } as Record<string, unknown>, {
    model,
    endpoint: 'self-hosted',
    reasoningPlaceholder: false,
    ...(flags.normalize ? {} : asGiven),
  });
  const kwargs = (body.chat_template_kwargs ?? {}) as Record<string, unknown>;
  return {
    messages: body.messages,
    tools: body.tools,
    model,
    thinking: flags.thinking ?? kwargs.thinking,
    preserveThinking: flags.preserveThinking ?? kwargs.preserve_thinking,
    addGenerationPrompt: flags.generationPrompt,
    specialTokensInText: flags.specialTokens,
  } as PromptInput;
}

function toRequest(value: unknown, name: string): Record<string, unknown> {
  if (Array.isArray(value)) return { messages: value };
  if (typeof value === 'object' && value !== null && 'messages' in value) return { ...value };
  throw new UsageError(`${name}: expected a chat request with "messages", or an array of messages`);
}
