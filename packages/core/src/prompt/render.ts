import type { ModelProfile } from '../grammar/models.ts';
import { TOKENS, VIDEO_PLACEHOLDER } from '../grammar/special-tokens.ts';
import { expectObject, expectOption } from '../kimi-error.ts';
import { type FamilyRules, findFamilyRules } from './families.ts';
import { type FormattableToolCall, writeToolCalls } from './format-tool-calls.ts';
import { printJson, SPACED } from './python-json.ts';
import {
  createSegmentWriter,
  type PromptSegment,
  type SegmentWriter,
  type SpecialTokensInText,
} from './segments.ts';
import { writeTools } from './tool-declarations.ts';

/** A message as it stands in an OpenAI chat request; fields that the templates do not read may be there too. */
export interface PromptMessage {
  /** `user` and `assistant` have a token of their own; any other role is written as a system message. */
  role: string;
  /** Who speaks; takes the place of the role's name in the prompt. */
  name?: string | undefined;
  /** Text, or parts that are written one behind the other. Default: empty. */
  content?: string | readonly PromptPart[] | null | undefined;
  /** The thought in front of an answer. The only field that is read for it. */
  reasoning_content?: string | null | undefined;
  /** Of an assistant's message; elsewhere ignored. */
  tool_calls?: readonly PromptToolCall[] | null | undefined;
  /** Of a tool's message: the call it answers. */
  tool_call_id?: string | undefined;
  /** On the last message, if it is the assistant's: the model is to continue it. */
  partial?: boolean | undefined;
}

/** A part of a content: text, or an image or video, of which only the place is marked in the prompt. */
export interface PromptPart {
  /** `image`, `image_url`, `video`, `video_url`; any other part is read for its text. */
  type?: string | undefined;
  /** Of a text part; written as it is. */
  text?: string | undefined;
}

/** A call in an assistant's message, OpenAI-shaped. */
export interface PromptToolCall {
  /** Written as it is; normalize the history first where ids are not `functions.NAME:COUNTER`. */
  id?: string | undefined;
  /** What is called; must be there. */
  function?: {
    /** Not written: the id holds the name. */
    name?: string | undefined;
    /** JSON text, written as it is, or an object. */
    arguments?: string | object | undefined;
  };
}

/** A conversation, and how it is to be rendered. */
export interface PromptInput {
  /** The conversation, oldest message first. */
  messages: readonly PromptMessage[];
  /** OpenAI-shaped tools, in the order to declare them in. Default: none. */
  tools?: readonly object[] | null | undefined;
  /** A model id or profile, or the name of a family: the prompt format. */
  model: string | ModelProfile;
  /** K2.5 and K2.6: whether the model is to think. Default true. The other families have no choice. */
  thinking?: boolean | undefined;
  /** K2.6: keep the thoughts of finished answers. Default false. The other families have no choice. */
  preserveThinking?: boolean | undefined;
  /** End with the beginning of the assistant's turn. Default true; never in front of a partial message. */
  addGenerationPrompt?: boolean | undefined;
  /**
   * What becomes of text (of any role, in any field, of tools too) that spells a control token, which
   * a server that gets the prompt as a string would take for one.
   *
   * - `keep` (default): nothing, as the chat templates do. Byte exact, and open to injection.
   * - `break`: a zero width space behind its first character; in JSON an escape of that character.
   * - `reject`: a KimiError that names the message (`messages[3]`, or `tools`) and the token.
   */
  specialTokensInText?: SpecialTokensInText | undefined;
}

const DEFAULT_SYSTEM = 'You are Kimi, an AI assistant created by Moonshot AI.';

/**
 * Renders a conversation as the prompt that the model's own chat template makes of it, byte for byte,
 * to be sent to a server's `/completions`. Stop at `<|im_end|>`.
 *
 * Ids, names and the order of messages are taken as they are. Unknown to JavaScript, and so different
 * from the templates: whether a number was `1` or `1.0`, and the place of keys that look like integers
 * in arguments given as an object.
 *
 * @throws KimiError naming the field that is wrong (`messages[3].content`), or the model, if its
 *   prompt format is not known
 */
export function renderPrompt(input: PromptInput): string {
  return renderPromptSegments(input)
    .map(({ text }) => text)
    .join('');
}

/**
 * The same prompt in pieces that tell control tokens from text: tokenize the text with special tokens
 * off and put the ids of the control tokens between, and no text can pose as a control token.
 *
 * @throws KimiError as `renderPrompt` does
 */
export function renderPromptSegments(input: PromptInput): PromptSegment[] {
  checkInput(input);
  const { messages, tools } = input;
  const rules = findFamilyRules(input.model);
  const preserves =
    rules.preserve === 'always' || (rules.preserve === 'option' && input.preserveThinking === true);
  const thinks = rules.preserve === 'always' || !rules.promptThinks || input.thinking !== false;
  const writer = createSegmentWriter(input.specialTokensInText ?? 'keep');

  if (tools?.length) {
    writer.field = 'tools';
    openMessage(writer, TOKENS.system, 'tool_declare');
    writeTools(writer, tools, rules.tools);
    writer.special(TOKENS.end);
  }
  const { defaultSystem } = rules;
  if (defaultSystem && (messages[0] ? messages[0].role !== 'system' : defaultSystem.whenEmpty)) {
    openMessage(writer, TOKENS.system, 'system');
    writer.plain(DEFAULT_SYSTEM);
    writer.special(TOKENS.end);
    writer.plain(defaultSystem.after);
  }

  const last = messages.length - 1;
  const isPartial = messages[last]?.role === 'assistant' && messages[last].partial === true;
  /** Up to the last finished answer thoughts are dropped; those of a running tool loop stay. */
  const lastAnswer = preserves
    ? -1
    : messages.findLastIndex((message) => message.role === 'assistant' && !message.tool_calls?.length);
  for (const [at, message] of messages.entries()) {
    writer.field = `messages[${at}]`;
    writeMessage(writer, message, rules, thinks && at > lastAnswer);
    if (!isPartial || at < last) writer.special(TOKENS.end);
  }

  if (!isPartial && input.addGenerationPrompt !== false) {
    openMessage(writer, TOKENS.assistant, 'assistant');
    if (rules.promptThinks) writer.special(TOKENS.thinkOpen);
    if (rules.promptThinks && !thinks) writer.special(TOKENS.thinkClose);
  }
  return writer.end();
}

function openMessage(writer: SegmentWriter, head: string, name: string): void {
  writer.special(head);
  writer.plain(name);
  writer.special(TOKENS.middle);
}

function writeMessage(
  writer: SegmentWriter,
  message: PromptMessage,
  rules: FamilyRules,
  showsThought: boolean,
): void {
  const { role } = message;
  const head = role === 'user' ? TOKENS.user : role === 'assistant' ? TOKENS.assistant : TOKENS.system;
  openMessage(writer, head, readText(writer, message, 'name') || role);
  if (role === 'assistant' && rules.thinkBlocks) {
    const reasoning = readText(writer, message, 'reasoning_content');
    writer.special(TOKENS.thinkOpen);
    if (showsThought) writer.plain(reasoning);
    writer.special(TOKENS.thinkClose);
  }
  if (role === 'tool') writer.plain(`## Return of ${readText(writer, message, 'tool_call_id')}\n`);
  writeContent(writer, message, rules);
  if (role === 'assistant') writeToolCalls(writer, readCalls(writer, message));
}

/** A field that is text, or missing. */
function readText({ field }: SegmentWriter, message: PromptMessage, name: keyof PromptMessage): string {
  const text = message[name] ?? '';
  expectOption(typeof text === 'string', `${field}.${name}`, 'a string', text);
  return text as string;
}

function writeContent(writer: SegmentWriter, message: PromptMessage, rules: FamilyRules): void {
  const content = message.content ?? '';
  if (typeof content === 'string') {
    writer.plain(content);
    return;
  }
  const field = `${writer.field}.content`;
  expectOption(Array.isArray(content), field, 'a string, an array of parts or null', content);
  for (const [at, part] of content.entries()) {
    expectObject(`${field}[${at}]`, part);
    const isImage =
      part.type === 'image' ||
      part.type === 'image_url' ||
      (rules.media === 'k2' && ('image' in part || 'image_url' in part));
    if (isImage) {
      // The templates of K2 spell the first token as none of the vocabulary.
      if (rules.media === 'k2') writer.plain('<|media_start|>');
      else writer.special(TOKENS.mediaBegin);
      writer.plain('image');
      writer.special(TOKENS.mediaContent);
      writer.special(TOKENS.mediaPad);
      writer.special(TOKENS.mediaEnd);
      writer.plain('\n');
    } else if (rules.media === 'k2.5' && (part.type === 'video' || part.type === 'video_url')) {
      writer.special(VIDEO_PLACEHOLDER);
      writer.plain('\n');
    } else {
      const places = rules.media === 'k2' ? 'an image' : 'an image or a video';
      const isText = typeof part.text === 'string';
      expectOption(isText, `${field}[${at}]`, `a part with a text, or ${places}`, part.type);
      writer.plain(part.text as string);
    }
  }
}

function readCalls({ field }: SegmentWriter, message: PromptMessage): FormattableToolCall[] {
  return (message.tool_calls ?? []).map((call, at) => {
    const callField = `${field}.tool_calls[${at}]`;
    const { id = '', function: fn } = call ?? {};
    expectOption(typeof id === 'string', `${callField}.id`, 'a string', id);
    expectObject(`${callField}.function`, fn);
    const given = fn?.arguments;
    if (typeof given === 'string') return { id, arguments: given };
    const argumentsField = `${callField}.function.arguments`;
    const isObject = typeof given === 'object' && given !== null;
    expectOption(isObject, argumentsField, 'a string or an object', given);
    return { id, arguments: printJson(given, SPACED, argumentsField) };
  });
}

const isFlag = (value: unknown) => value === undefined || typeof value === 'boolean';
const isList = (value: unknown) => value === undefined || value === null || Array.isArray(value);

function checkInput(input: PromptInput): void {
  expectObject('input', input);
  const { messages, tools, specialTokensInText: mode } = input;
  expectOption(Array.isArray(messages), 'messages', 'an array of messages', messages);
  for (const [at, message] of messages.entries()) {
    const field = `messages[${at}]`;
    expectObject(field, message);
    const { role, tool_calls: calls } = message;
    expectOption(typeof role === 'string' && role !== '', `${field}.role`, 'a non-empty string', role);
    expectOption(isList(calls), `${field}.tool_calls`, 'an array', calls);
  }
  expectOption(isList(tools), 'tools', 'an array', tools);
  for (const [at, tool] of (tools ?? []).entries()) expectObject(`tools[${at}]`, tool);
  for (const name of ['thinking', 'preserveThinking', 'addGenerationPrompt'] as const)
    expectOption(isFlag(input[name]), name, 'a boolean', input[name]);
  const modes: unknown[] = [undefined, 'keep', 'break', 'reject'];
  expectOption(modes.includes(mode), 'specialTokensInText', "'keep', 'break' or 'reject'", mode);
}
