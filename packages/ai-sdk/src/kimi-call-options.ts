import type { JSONObject } from '@ai-sdk/provider';
import { parseProviderOptions, type Schema, zodSchema } from '@ai-sdk/provider-utils';
import { z } from 'zod/v4';
import type { KimiReplyOptions } from './kimi-options.ts';

/** What a call may say under `providerOptions.kimi`. Unknown keys are refused. */
export interface KimiLanguageModelOptions extends Pick<KimiReplyOptions, 'recoverTextCalls' | 'emptyTurn'> {
  /**
   * Thinking on or off, in place of the AI SDK's `reasoning`. It is sent in the words of model and
   * endpoint: `thinking`, `reasoning_effort`, or the arguments of an engine's chat template.
   * Default: what `reasoning` says, else what the model does by itself.
   */
  thinking?: boolean | KimiThinking | undefined;
  /** Ask for structured output in strict mode. Default true. */
  strictJsonSchema?: boolean | undefined;
  /** Groups requests that share a beginning, so that more of it is read from the server's cache. */
  promptCacheKey?: string | undefined;
  /** Stands for your user, so that abuse can be told apart. Best a hash. */
  safetyIdentifier?: string | undefined;
  /** Fields of the request body, added as they are: what a server has beyond all this. */
  extraBody?: JSONObject | undefined;
}

/** How a model is to think, where a switch is not enough. */
export interface KimiThinking {
  /** Default `enabled`. */
  type?: 'enabled' | 'disabled' | undefined;
  /** Keep the reasoning of finished turns, where the model can be asked to (K2.6). Default false. */
  preserve?: boolean | undefined;
  /** How much, where the model has levels (K3). Default: the model's. */
  effort?: 'low' | 'medium' | 'high' | 'max' | undefined;
}

/** What a last assistant message may say under its `providerOptions.kimi`. */
export interface KimiAssistantMessageOptions {
  /** The model goes on with the text of this message instead of answering it; the reply does not repeat it. */
  partial?: boolean | undefined;
  /** Who speaks in it, for role play. Sent with `partial` only. */
  name?: string | undefined;
}

let schema: Schema<KimiLanguageModelOptions> | undefined;
let messageSchema: Schema<KimiAssistantMessageOptions> | undefined;

// Made when they are first needed: building them is no work for those who only load the module.
function getSchema(): Schema<KimiLanguageModelOptions> {
  const effort = z.enum(['low', 'medium', 'high', 'max']).optional();
  schema ??= zodSchema(
    z.strictObject({
      thinking: z
        .union([
          z.boolean(),
          z.strictObject({
            type: z.enum(['enabled', 'disabled']).optional(),
            preserve: z.boolean().optional(),
            effort,
          }),
        ])
        .optional(),
      strictJsonSchema: z.boolean().optional(),
      promptCacheKey: z.string().optional(),
      safetyIdentifier: z.string().optional(),
      extraBody: z.custom<JSONObject>((value) => typeof value === 'object' && value !== null).optional(),
      recoverTextCalls: z.enum(['off', 'default', 'lenient']).optional(),
      emptyTurn: z.enum(['finish', 'error']).optional(),
    }),
  );
  return schema;
}

function getMessageSchema(): Schema<KimiAssistantMessageOptions> {
  // Not strict: what the calls of a message carry may be told apart only by where it stands.
  messageSchema ??= zodSchema(z.object({ partial: z.boolean().optional(), name: z.string().optional() }));
  return messageSchema;
}

type ProviderOptions = Parameters<typeof parseProviderOptions>[0]['providerOptions'];

/** @throws InvalidArgumentError naming what is wrong */
export async function readCallOptions(given: ProviderOptions): Promise<KimiLanguageModelOptions> {
  const options = { provider: 'kimi', providerOptions: given, schema: getSchema() };
  return (await parseProviderOptions(options)) ?? {};
}

/** @throws InvalidArgumentError naming what is wrong */
export async function readMessageOptions(given: ProviderOptions): Promise<KimiAssistantMessageOptions> {
  const options = { provider: 'kimi', providerOptions: given, schema: getMessageSchema() };
  return (await parseProviderOptions(options)) ?? {};
}
