/** One setting as a flag and as an environment variable. */
export interface GatewayOption {
  /** As commander takes it. */
  flags: string;
  env: string;
  help: string;
  /** May be given several times; in the environment with commas between. */
  list?: true;
  /** All that it may say, for the help and for shells; what is given is checked with the rest. */
  words?: readonly string[];
  /** Where it stands in the configuration, dots between; `upstream.` for what goes to the upstreams of flags. */
  path: string;
  /** From text to the value of the configuration; text that does not fit stays, for the check to refuse. */
  read(text: string): unknown;
}

const asText = (text: string): unknown => text;
const asNumber = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);
const asFlag = (text: string): unknown =>
  text === 'true' || text === '1' ? true : text === '0' ? false : text;
const RULES: Readonly<Record<string, unknown>> = { on: true, off: false, strict: { strict: true } };
const asRules = (text: string): unknown => (Object.hasOwn(RULES, text) ? RULES[text] : text);
const asMapping = (text: string): unknown => {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : text;
};

/** All settings that have a flag, in the order of the help. */
export const gatewayOptions: readonly GatewayOption[] = [
  {
    flags: '-u, --upstream <url>',
    env: 'KIMI_TC_UPSTREAM',
    list: true,
    path: 'upstreams',
    read: asText,
    help: 'base URL of an OpenAI-compatible server, with its /v1; repeat it for several',
  },
  {
    flags: '--api-key-env <name>',
    env: 'KIMI_TC_API_KEY_ENV',
    path: 'upstream.apiKeyEnv',
    read: asText,
    help: 'environment variable that holds the key for the upstream (default: the key of the client goes up)',
  },
  {
    flags: '--model-map <name=id>',
    env: 'KIMI_TC_MODEL_MAP',
    list: true,
    path: 'upstream.models',
    read: asMapping,
    help: 'serve the model ID of the upstream as NAME; with it nothing else is served',
  },
  {
    flags: '--model <id>',
    env: 'KIMI_TC_MODEL',
    path: 'model',
    read: asText,
    help: 'whose rules apply when the model ids of the upstream do not tell, such as k2.5',
  },
  {
    flags: '--transport <how>',
    env: 'KIMI_TC_TRANSPORT',
    path: 'transport',
    read: asText,
    words: ['chat', 'completions', 'auto'],
    help: 'how upstreams are asked for chats; completions: the prompt is rendered here (default: chat)',
  },
  {
    flags: '--endpoint <who>',
    env: 'KIMI_TC_ENDPOINT',
    path: 'endpoint',
    read: asText,
    words: ['auto', 'moonshot', 'self-hosted', 'router'],
    help: 'who answers (default: auto, told from the address)',
  },
  {
    flags: '--request-rules <how>',
    env: 'KIMI_TC_REQUEST_RULES',
    path: 'request',
    read: asRules,
    words: ['on', 'off', 'strict'],
    help: 'put requests right; strict refuses those that would lose something (default: on)',
  },
  {
    flags: '--recover-text-calls <how>',
    env: 'KIMI_TC_RECOVER_TEXT_CALLS',
    path: 'recoverTextCalls',
    read: asText,
    words: ['off', 'default', 'lenient'],
    help: 'calls written as plain text (default: default)',
  },
  {
    flags: '--special-tokens <how>',
    env: 'KIMI_TC_SPECIAL_TOKENS',
    path: 'specialTokensInText',
    read: asText,
    words: ['break', 'keep', 'reject'],
    help: 'texts that spell a control token, in prompts that are rendered here (default: break)',
  },
  {
    flags: '--prompt-opens-think',
    env: 'KIMI_TC_PROMPT_OPENS_THINK',
    path: 'promptOpensThink',
    read: asFlag,
    help: 'replies begin inside the thought: the upstream leaves it in the content, and its prompt has opened it',
  },
  {
    flags: '--guided-json',
    env: 'KIMI_TC_GUIDED_JSON',
    path: 'guidedJson',
    read: asFlag,
    help: 'the upstream is made to answer with a JSON list of calls',
  },
  {
    flags: '--host <address>',
    env: 'KIMI_TC_HOST',
    path: 'listen.host',
    read: asText,
    help: 'address to listen on (default: 127.0.0.1)',
  },
  {
    flags: '-p, --port <number>',
    env: 'KIMI_TC_PORT',
    path: 'listen.port',
    read: asNumber,
    help: 'port to listen on, 0 for a free one (default: 4040)',
  },
  {
    flags: '--allow-public',
    env: 'KIMI_TC_ALLOW_PUBLIC',
    path: 'listen.allowPublic',
    read: asFlag,
    help: 'listen on a public address without gateway keys: anyone who reaches it may call',
  },
  {
    flags: '--gateway-keys-env <name>',
    env: 'KIMI_TC_GATEWAY_KEYS_ENV',
    path: 'gatewayKeysEnv',
    read: asText,
    help: 'environment variable that holds the keys callers need, with commas between (default: none is needed)',
  },
  {
    flags: '--allow-origin <origin>',
    env: 'KIMI_TC_ALLOW_ORIGIN',
    list: true,
    path: 'origins',
    read: asText,
    help: 'let web pages of this origin call, such as https://chat.example.com, http://localhost:* or *, all (default: none)',
  },
  {
    flags: '--connect-timeout <ms>',
    env: 'KIMI_TC_CONNECT_TIMEOUT',
    path: 'timeouts.connectMs',
    read: asNumber,
    help: 'for the connection to the upstream (default: 10000)',
  },
  {
    flags: '--first-byte-timeout <ms>',
    env: 'KIMI_TC_FIRST_BYTE_TIMEOUT',
    path: 'timeouts.firstByteMs',
    read: asNumber,
    help: 'until the first byte of a reply; the whole reply if it is not streamed (default: 300000)',
  },
  {
    flags: '--idle-timeout <ms>',
    env: 'KIMI_TC_IDLE_TIMEOUT',
    path: 'timeouts.idleMs',
    read: asNumber,
    help: 'between two pieces of a reply, and for a client to take what waits for it (default: 120000)',
  },
  {
    flags: '--shutdown-timeout <ms>',
    env: 'KIMI_TC_SHUTDOWN_TIMEOUT',
    path: 'timeouts.shutdownMs',
    read: asNumber,
    help: 'that open replies get to finish when the gateway is told to stop (default: 30000)',
  },
  {
    flags: '--body-limit <bytes>',
    env: 'KIMI_TC_BODY_LIMIT',
    path: 'limits.bodyBytes',
    read: asNumber,
    help: 'largest request body (default: 33554432)',
  },
  {
    flags: '--concurrency <count>',
    env: 'KIMI_TC_CONCURRENCY',
    path: 'limits.concurrency',
    read: asNumber,
    help: 'requests that run at a time (default: 256)',
  },
  {
    flags: '--queue <count>',
    env: 'KIMI_TC_QUEUE',
    path: 'limits.queue',
    read: asNumber,
    help: 'requests that may wait for their turn, or be on their way here (default: 256)',
  },
  {
    flags: '--queue-timeout <ms>',
    env: 'KIMI_TC_QUEUE_TIMEOUT',
    path: 'timeouts.queueMs',
    read: asNumber,
    help: 'that a request may wait for its turn (default: 30000)',
  },
  {
    flags: '--redis <url>',
    env: 'KIMI_TC_REDIS',
    path: 'redis',
    read: asText,
    help: 'share remembered reasoning with other gateways (default: in the memory of this one)',
  },
  {
    flags: '--record <folder>',
    env: 'KIMI_TC_RECORD',
    path: 'record',
    read: asText,
    help: 'write each reply, redacted, as a case for a bug report',
  },
  {
    flags: '--log-level <level>',
    env: 'KIMI_TC_LOG_LEVEL',
    path: 'log.level',
    read: asText,
    words: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    help: 'how much is logged (default: info)',
  },
  {
    flags: '--log-format <format>',
    env: 'KIMI_TC_LOG_FORMAT',
    path: 'log.format',
    read: asText,
    words: ['auto', 'json', 'pretty'],
    help: 'of the log; auto is pretty on a terminal (default: auto)',
  },
];
