import { readdirSync, readFileSync } from 'node:fs';
import { anyObject, DataError, filledText, flag, listOf, oneOf, orNull, shape, text } from './check.ts';
import type { JsonObject } from './json.ts';

/** A prompt recorded from a model's own chat template. `prompts/README.md` says how. */
export interface PromptCase {
  /** `<family>/<name>`, the path of the file. */
  readonly id: string;
  /** Whose template it is. */
  readonly family: PromptFamily;
  /** OpenAI-shaped, as they were given to the template. */
  readonly messages: readonly JsonObject[];
  /** `null`: the request had no tools. */
  readonly tools: readonly JsonObject[] | null;
  /** Template keywords that were set; the others had the template's default. */
  readonly options: PromptOptions;
  /** The prompt, byte for byte. */
  readonly expected: string;
}

/** A family whose chat template was recorded, under its name in `@kimi-tc/core`. */
export type PromptFamily = (typeof promptFamilies)[number];

/** Keywords of the chat templates, under their names there. */
export interface PromptOptions {
  /** The model is to think. */
  readonly thinking?: boolean;
  /** Thoughts of finished answers stay. */
  readonly preserve_thinking?: boolean;
  /** The prompt ends with the beginning of the assistant's turn. */
  readonly add_generation_prompt?: boolean;
}

export const promptFamilies = ['k2-instruct', 'k2-thinking', 'k2.5', 'k2.6', 'k2.7-code'] as const;

const promptCase = shape({
  id: filledText,
  family: oneOf(promptFamilies),
  messages: listOf(anyObject),
  tools: orNull(listOf(anyObject)),
  options: shape({}, { thinking: flag, preserve_thinking: flag, add_generation_prompt: flag }),
  expected: text,
});

const folder: URL = new URL('../prompts/', import.meta.url);

/**
 * Reads the recorded prompts, ordered by family and name.
 *
 * @throws DataError naming the file and the field, if one does not fit the schema
 */
export function loadPrompts(): PromptCase[] {
  return promptFamilies.flatMap((family) =>
    readdirSync(new URL(`${family}/`, folder))
      .sort()
      .map((name) => readPrompt(`${family}/${name}`)),
  );
}

function readPrompt(file: string): PromptCase {
  try {
    const value: unknown = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    promptCase(value, '');
    const found = value as PromptCase;
    if (`${found.id}.json` !== file)
      throw new DataError(`id: expected the path of the file, found ${found.id}`);
    return found;
  } catch (error) {
    throw new DataError(`${file}: ${(error as Error).message}`);
  }
}
