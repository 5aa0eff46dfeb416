import type { Channel, ParserOptions, ToolCallPiece } from '@kimi-tc/core';
import { z } from 'zod';

/** A piece of a reply as a server sent it: text of one field, or a piece of a call that the server parsed. */
export type Delta =
  | { readonly channel: Channel; readonly text: string }
  | { readonly channel: 'tool_calls'; readonly piece: ToolCallPiece };

/** What the page looks at: everything that decides how a reply is read. */
export interface Reply {
  readonly deltas: readonly Delta[];
  /** The server's own word; `null` when it sent none. */
  readonly finishReason: string | null;
  /** The tools of the request. Empty: unknown. */
  readonly tools: readonly Tool[];
  readonly options: ReplyOptions;
}

export interface Tool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** Options of the parser, by their names there; what is absent has the parser's default. */
export interface ReplyOptions {
  readonly promptOpensThink?: boolean | undefined;
  readonly recoverTextCalls?: 'off' | 'lenient' | undefined;
  readonly toolChoice?: 'none' | undefined;
  readonly guidedJson?: boolean | undefined;
  readonly limits?:
    | { readonly maxArgumentsLength?: number | undefined; readonly maxToolCalls?: number | undefined }
    | undefined;
}

/** UTF-16 units of text, and deltas, that the page takes: beyond them it would not stay quick. */
export const MOST_TEXT = 100_000;
export const MOST_DELTAS = 20_000;
const MOST_TOOLS = 128;

const count = z.int().positive();

const toolSchema = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().min(1).max(256),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.json()),
  }),
});

export const toolsSchema = z.array(toolSchema).max(MOST_TOOLS);

const deltaSchema = z.union([
  z.strictObject({ channel: z.enum(['content', 'reasoning']), text: z.string().max(MOST_TEXT) }),
  z.strictObject({ channel: z.literal('tool_calls'), piece: z.record(z.string(), z.json()) }),
]);

/** Anything that claims to be a reply, e.g. from a link. */
export const replySchema = z
  .strictObject({
    deltas: z.array(deltaSchema).max(MOST_DELTAS),
    finishReason: z.string().max(64).nullable(),
    tools: toolsSchema,
    options: z.strictObject({
      promptOpensThink: z.boolean().optional(),
      recoverTextCalls: z.enum(['off', 'lenient']).optional(),
      toolChoice: z.literal('none').optional(),
      guidedJson: z.boolean().optional(),
      limits: z
        .strictObject({ maxArgumentsLength: count.optional(), maxToolCalls: count.optional() })
        .optional(),
    }),
  })
  .refine(({ deltas }) => textOf(deltas).length <= MOST_TEXT, {
    error: `expected at most ${MOST_TEXT} UTF-16 units of text`,
  });

/** The text of all fields, in the order of arrival. */
export function textOf(deltas: readonly Delta[]): string {
  return deltas.map((delta) => ('text' in delta ? delta.text : '')).join('');
}

/** The options that a parser of this reply gets. */
export function toParserOptions({ tools, options }: Reply): ParserOptions {
  return { ...options, tools } as ParserOptions;
}
