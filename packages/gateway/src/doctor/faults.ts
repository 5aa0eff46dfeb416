/** `fault`: clients of the OpenAI API go wrong on it. `note`: allowed, but some clients stumble, or it is slow. */
export type Level = 'fault' | 'note';

export interface Fault {
  readonly level: Level;
  /** What the endpoint does, in a few words. */
  readonly title: string;
  /**
   * What mends it.
   *
   * - `replies`: every kimi-tc package does, when it reads the reply
   * - `requests`: every kimi-tc package does, when it writes the request, with the options that `fix` tells
   * - `nothing`: no package can; `fix` tells what to do
   */
  readonly mendedIn: 'replies' | 'requests' | 'nothing';
  readonly fix: string;
}

const BY_DEFAULT = 'mended in replies by default';
const API_RULES = "mended in requests with endpoint 'moonshot' or 'router'";

function inReplies(level: Level, title: string, fix: string = BY_DEFAULT): Fault {
  return { level, title, mendedIn: 'replies', fix };
}

function inRequests(level: Level, title: string, fix: string = API_RULES): Fault {
  return { level, title, mendedIn: 'requests', fix };
}

function byNothing(level: Level, title: string, fix: string): Fault {
  return { level, title, mendedIn: 'nothing', fix };
}

const RETRY = "the client's own retries; nothing to set here";
const SERVER = 'mend or replace the server, or what stands in front of it';
const ERRORS = `${SERVER}; kimi-tc gateway tells them in the shape of the API`;
const FRAMING = 'legal; kimi-tc reads it, as the SDKs do, and may pass it on so';

/** All that the doctor can find, under the code that names it. */
export const faults = {
  // What stands where in a reply
  'calls-in-content': inReplies('fault', 'tool calls stand as raw tokens in the content'),
  'calls-in-reasoning': inReplies('fault', 'tool calls stand as raw tokens in the reasoning'),
  'call-also-in-text': inReplies('fault', 'tool calls come parsed, and once more as raw tokens in the text'),
  'tokens-stripped': inReplies(
    'fault',
    'special tokens are not printed: calls stand as plain text',
    'mended in replies by default, if the request has tools; see recoverTextCalls',
  ),
  'reasoning-in-content': inReplies('fault', 'think tags and thought stand in the content'),
  'answer-in-reasoning': inReplies('fault', 'the answer stands in the reasoning, behind the think tag'),
  'think-not-closed': inReplies(
    'fault',
    '</think> is lost: thought and answer run together',
    'calls are found all the same; where the answer began cannot be known',
  ),
  'end-token-in-text': inReplies('fault', 'the end token of the turn stands in the text'),
  'reasoning-field': inReplies(
    'fault',
    'the thought is in `reasoning`; Kimi clients read `reasoning_content`',
  ),
  'reasoning-in-both-fields': byNothing(
    'note',
    'the thought comes in `reasoning_content` and in `reasoning`',
    'kimi-tc reads it once; nothing to do',
  ),
  'empty-turn': byNothing(
    'fault',
    'a turn ends behind the thought: no text, no call',
    'reported as problem empty-turn; let the application ask again',
  ),
  'stream-differs': inReplies('fault', 'the same request is answered differently streamed and not'),

  // The raw text of calls
  'begin-tokens-lost': inReplies('fault', 'section begin and call begin are lost in front of calls'),
  'section-not-closed': inReplies('fault', 'the section of calls is not closed'),
  'call-not-closed': inReplies('fault', 'calls are not closed'),
  'section-tokens-singular': inReplies('fault', 'section tokens are spelt in the singular'),
  'tokens-spaced': inReplies('fault', 'special tokens have spaces inside'),
  'noise-in-section': inReplies('fault', 'text stands between section begin and call begin'),
  'id-without-prefix': inReplies('fault', 'ids in the text have no `functions.` in front'),
  'id-glued': inReplies('fault', 'ids in the text have no colon in front of the counter'),
  'id-without-counter': inReplies('fault', 'ids in the text have no counter'),
  'id-underscored': inReplies('fault', 'ids in the text have underscores for dot and colon'),
  'id-bare-counter': inReplies('fault', 'ids in the text are a counter alone; the arguments tell the tool'),
  'id-opaque': inReplies('fault', 'ids in the text name no tool; the arguments tell it'),

  // Calls
  'calls-missing': byNothing(
    'fault',
    'the finish reason announces calls, and none comes',
    "transport: 'completions', if the server has text completions: kimi-tc parses the calls itself",
  ),
  'ids-not-native': inRequests(
    'note',
    'ids of calls are not `functions.NAME:NUMBER`, which the model is trained on',
    'mended in the history of requests by default (request: { ids })',
  ),
  'ids-repeated': inReplies('fault', 'an id of an earlier call comes again'),
  'id-missing': inReplies('fault', 'a call has no id'),
  'tool-name-changed': inReplies('fault', 'the name of a tool comes with something around it'),
  'unknown-tool': byNothing(
    'note',
    'a call names a tool that was not offered',
    'reported as problem unknown-tool; the application has to answer it',
  ),
  'arguments-with-control-characters': inReplies(
    'fault',
    'arguments hold raw line breaks or tabs in strings',
  ),
  'arguments-double-encoded': inReplies('fault', 'arguments are a JSON string that holds the JSON'),
  'arguments-as-object': inReplies('fault', 'arguments are an object, not a string'),
  'arguments-repeated': inReplies('fault', 'arguments come twice'),
  'arguments-not-json': byNothing(
    'fault',
    'arguments are no JSON object',
    'reported as problem invalid-arguments; let the application ask again',
  ),
  'cut-call-as-complete': inReplies('fault', 'a call that the token limit cut is given out as complete'),

  // Calls in a stream
  'call-index-not-dense': inReplies('fault', 'the index of calls does not count from 0'),
  'calls-share-index': inReplies('fault', 'several calls have one index'),
  'call-id-changes': inReplies('fault', 'each fragment of a call has another id'),
  'fields-empty': inReplies('fault', 'role, id or type is an empty string on later chunks'),
  'name-in-fragments': inReplies('fault', 'the name of a tool comes in fragments'),
  'name-repeated': inReplies('fault', 'the name of a tool comes with every fragment'),
  'name-empty-on-fragments': inReplies('fault', 'later fragments have an empty name'),
  'same-index-twice': inReplies('fault', 'one chunk has two fragments of one call'),
  'empty-tool-calls': inReplies('note', 'an empty list of calls stands beside text'),
  'calls-interleaved': byNothing(
    'note',
    'fragments of parallel calls come in turns',
    'allowed; kimi-tc passes them on so',
  ),
  'call-at-once': byNothing(
    'note',
    'each call comes in one piece, name and arguments together',
    'allowed; only the server can send it sooner',
  ),
  'arguments-at-once': byNothing(
    'note',
    'arguments are withheld until they are complete',
    'raise idle timeouts; only the server can send them sooner',
  ),
  'text-at-once': byNothing(
    'note',
    'the answer is streamed in one piece',
    'only the server can send it sooner; look for a proxy that buffers',
  ),
  'stream-held-back': byNothing(
    'note',
    'the stream is held back, and comes all at the end',
    'look for a proxy that buffers (nginx: proxy_buffering off)',
  ),

  // Finish reason and usage
  'finish-not-tool-calls': inReplies('fault', 'there are calls, and the finish reason is another word'),
  'finish-missing': inReplies('fault', 'there is no finish reason'),
  'finish-repeated': inReplies('fault', 'the finish reason comes twice'),
  'usage-missing': byNothing(
    'fault',
    'usage was asked for and does not come',
    'nothing; only the server counts tokens',
  ),
  'usage-in-choices': byNothing(
    'note',
    'usage stands on the choice',
    'kimi-tc puts it where clients look, if it stands there alone',
  ),

  // The connection
  'stream-ignored': byNothing('fault', 'a stream was asked for, and none came', SERVER),
  'done-missing': inReplies('fault', 'the stream ends without [DONE]'),
  'data-not-json': inReplies('fault', 'an event is no JSON'),
  'error-in-stream': byNothing('fault', 'an error comes in the middle of a stream', RETRY),
  'connection-cut': byNothing(
    'fault',
    'the connection breaks in the middle of a reply',
    'calls that were cut are never given out as complete; retry',
  ),
  'keep-alive-comments': byNothing('note', 'comments stand between events', FRAMING),
  'lines-end-in-crlf': byNothing('note', 'lines of events end in CR LF', FRAMING),
  'no-space-behind-data': byNothing('note', 'no space stands behind `data:`', FRAMING),
  'event-fields': byNothing('note', 'events have more fields than `data`', FRAMING),
  'byte-order-mark': byNothing('note', 'the stream begins with a byte order mark', FRAMING),
  'slow-first-byte': byNothing('note', 'the first byte comes late', 'raise the timeout for the first byte'),

  // Instead of a reply
  'rate-limited': byNothing('fault', 'requests are refused for their rate (429)', RETRY),
  'rate-limited-at-times': byNothing('note', 'some requests are refused for their rate (429)', RETRY),
  'server-error': byNothing('fault', 'requests are answered with status 5xx', SERVER),
  'server-error-at-times': byNothing('note', 'some requests are answered with status 5xx', RETRY),
  'connection-reset': byNothing('fault', 'the connection is reset before any answer', SERVER),
  'connection-reset-at-times': byNothing('note', 'some connections are reset before any answer', RETRY),
  'no-answer-in-time': byNothing(
    'fault',
    'a request got no answer in time',
    'raise --timeout, or look at the server',
  ),
  'html-error-page': byNothing('fault', 'errors are HTML pages of a proxy', ERRORS),
  'tool-use-failed': byNothing(
    'fault',
    "the server fails on the model's calls (tool_use_failed)",
    "transport: 'completions', if the server has text completions",
  ),
  'request-refused': byNothing('fault', 'a plain request is refused', 'see what the server says'),
  'errors-unreadable': byNothing('fault', 'errors do not have the shape of the OpenAI API', ERRORS),
  'no-chat-endpoint': byNothing(
    'fault',
    'there are text completions only',
    "transport: 'completions' ('auto' finds out): kimi-tc renders the prompt and parses the reply",
  ),

  // Rules
  'foreign-ids-end-turn': inRequests(
    'fault',
    'ids of other form in the history make the model end its turn',
    'mended in requests by default (request: { ids })',
  ),
  'foreign-ids-refused': inRequests(
    'fault',
    'ids of other form in the history are refused',
    'mended in requests by default (request: { ids })',
  ),
  'reasoning-replay-required': inRequests(
    'fault',
    'earlier calls must come back with their reasoning',
    'mended in requests by default (reasoningMemory, request: { reasoning })',
  ),
  'empty-content-refused': inRequests(
    'fault',
    'empty content of an assistant message is refused',
    'mended in requests by default (request: { messages })',
  ),
  'null-character-refused': inRequests(
    'fault',
    'the character U+0000 in a message is refused',
    'mended in requests by default (request: { messages })',
  ),
  'sampling-pinned': inRequests('fault', 'temperature or top_p are refused'),
  'forced-tool-refused': inRequests('fault', 'a forced tool is refused'),
  'forced-tool-ignored': byNothing(
    'fault',
    'a forced tool is not called',
    'say in the prompt that the tool is to be called',
  ),
  'tool-choice-ignored': inReplies('fault', 'tools are called although tool_choice is none'),
  'thinking-beside-effort-refused': inRequests(
    'note',
    '`thinking` and `reasoning_effort` are refused together',
    "mended in requests by default (request: { thinking } sets either in the endpoint's words)",
  ),
  'tool-limit': byNothing('note', 'more than 128 tools are refused', 'offer fewer; kimi-tc tells the count'),
  'tool-names-restricted': inRequests('fault', 'tool names that begin with a digit are refused'),
  'any-of-refused': inRequests('fault', 'schemas with `type` beside `anyOf` are refused'),
  'schema-keywords-refused': inRequests('fault', 'schemas with keywords that clients send are refused'),
  'developer-role-refused': byNothing(
    'fault',
    'messages of the role developer are refused',
    'send them as system',
  ),
  'content-parts-refused': inRequests(
    'fault',
    'content in parts is refused',
    'text in parts is joined in requests by default (request: { messages })',
  ),
  'client-fields-refused': byNothing(
    'fault',
    'fields that clients send (store, prompt_cache_key, …) are refused',
    "store is dropped with endpoint 'moonshot' or 'router'; leave out the others",
  ),
} as const satisfies Readonly<Record<string, Fault>>;

/** What names something the doctor can find. */
export type FaultCode = keyof typeof faults;

/** Something that a probe saw. */
export interface Finding {
  readonly code: FaultCode;
  /** What was seen, in short: a piece of the reply, or what the server said. */
  readonly detail?: string | undefined;
}

/** Cuts what is shown of a reply. */
export function excerpt(text: string, length = 100): string {
  const line = JSON.stringify(text).slice(1, -1);
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
