// What each table compares, and how, in Markdown.

export const PARSER = `One process reads the same replies in the same deltas:

- **parser**: \`createParser\`, a new one for each reply, \`feed\` for each delta
- **callback**: a loop that hands each delta to a function
- **JSON.parse**: the \`chat.completion.chunk\` objects that carry the deltas, which every client parses anyway
- **regex**: regular expressions over all text so far, again on each delta
- **hermes**: the Hermes protocol of \`@ai-sdk-tool/parser\` through its \`TransformStream\`, on the same reply in the Hermes format

Every reply but the first comes with 30 tools. Each figure is the median of nine interleaved rounds, each ratio that of the rounds'
ratios; what takes over a second is read once. The rows are read in their order, so that all readers run code compiled for all that came
before, as in an application of some age; one that reads a single row and ends gives other figures, for Hermes in deltas of 4096 a third.`;

export const REQUESTS = `Whole conversations, against \`JSON.stringify\` of the same body. \`normalizeRequest\`, for a router, gets a K2.5 history with work in
every message and 200 tools whose schemas all need rewriting (\`parameters: false\` lets so many pass); the tools cost the same whatever the
messages, so a doubling shows less than twice. \`renderPrompt\` writes for K2.6 with \`preserveThinking\` and 30 tools; every tenth tool
result quotes control tokens.`;

export const SDK = `The OpenAI SDK reads streamed replies over the bare \`fetch\`, over one whose bodies only pass through a stream of its own, and over
\`createKimiFetch()\`. One process reads them that has timed nothing else; the bytes come from another, in deltas of about a token, with 30
tools in the request. CPU is over all threads; ratios are medians over rounds that time all three in any order, once all of it is compiled.
With writes of 1 or 8 events the server waits 1 ms behind each, as models do, so \`wall\`, the time by the clock, is mostly waiting; with all
events at once it is work alone, in which a process differs from the next for all its rounds: there the figures are medians over several
processes, with the least and the most behind \`wall\`. The aims are for the time by the clock.`;

export const AI_SDK = `\`streamText\` reads healthy replies through \`@ai-sdk/openai-compatible\`, bare and with \`kimiMiddleware()\`, measured in the same way.`;

export const GATEWAY = `An HTTP client reads replies directly, through \`kimi-tc\`, and through \`@portkey-ai/gateway\` as a plain proxy, each in a process of its own,
as is the server.`;
