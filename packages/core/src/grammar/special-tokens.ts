/**
 * The markers of the K2 grammar (K2, K2-Thinking, K2.5, K2.6, K2.7) as text.
 * Source: the tokenizer tables of the model family; the singular section spelling and the
 * spaced spellings are not in the vocabulary, models and servers write them as text.
 */
export type MarkerKind =
  | 'section-begin'
  | 'section-end'
  | 'call-begin'
  | 'call-end'
  | 'argument-begin'
  | 'think-open'
  | 'think-close'
  | 'turn-end';

const BAR_NAMES: Record<string, MarkerKind> = {
  tool_calls_section_begin: 'section-begin',
  tool_call_section_begin: 'section-begin',
  tool_calls_section_end: 'section-end',
  tool_call_section_end: 'section-end',
  tool_call_begin: 'call-begin',
  tool_call_end: 'call-end',
  tool_call_argument_begin: 'argument-begin',
  im_end: 'turn-end',
};

/** Every accepted spelling of every marker. Bar markers may have one space inside either bar, or both. */
export const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['<think>', 'think-open'],
  ['</think>', 'think-close'],
  ...Object.entries(BAR_NAMES).flatMap(([name, kind]) =>
    ['<|', '<| '].flatMap((left) => ['|>', ' |>'].map((right) => [left + name + right, kind] as const)),
  ),
]);

/** A stream that ends in one of these, or more of a marker, was cut inside a tool marker: never text. */
export const CUT_MARKER: RegExp = /^<\| ?tool_call/;

/** The end-of-sequence token; unlike the markers it counts only as the very last characters of a turn. */
export const END_OF_SEQUENCE = '[EOS]';

/** The tokens that prompts are built of. */
export const TOKENS = {
  user: '<|im_user|>',
  assistant: '<|im_assistant|>',
  system: '<|im_system|>',
  middle: '<|im_middle|>',
  end: '<|im_end|>',
  sectionBegin: '<|tool_calls_section_begin|>',
  sectionEnd: '<|tool_calls_section_end|>',
  callBegin: '<|tool_call_begin|>',
  argumentBegin: '<|tool_call_argument_begin|>',
  callEnd: '<|tool_call_end|>',
  thinkOpen: '<think>',
  thinkClose: '</think>',
  mediaBegin: '<|media_begin|>',
  mediaContent: '<|media_content|>',
  mediaPad: '<|media_pad|>',
  mediaEnd: '<|media_end|>',
} as const;

/** Stands for a video until the server's media processor puts the video's tokens in its place. */
export const VIDEO_PLACEHOLDER = '<|kimi_k25_video_placeholder|>';

/**
 * Every text that a K2 tokenizer reads as one control id wherever it stands: the tokens of the
 * vocabulary (163584 to 163839), the names it gives to those that are not in use, and the
 * placeholder of a video. No token begins inside of another.
 */
export const SPECIAL_TOKEN: RegExp =
  /<\|(?:im_(?:end|user|assistant|system|middle)|(?:start|end)_header_id|tool_calls_section_(?:begin|end)|tool_call_(?:begin|argument_begin|end)|media_(?:begin|content|end|pad)|kimi_k25_video_placeholder|reserved_token_163(?:58[4-9]|59\d|[67]\d\d|8[0-3]\d))\|>|<\/?think>|\[(?:BOS|EOS|EOT|UNK|PAD)\]/g;
