import { isObject, type JsonObject, listOf } from './json.ts';

/**
 * The choices of a text completion, or of a chunk of one, as those of a chat completion. Their log probabilities
 * have another shape there, and are left out.
 *
 * @param say what stands for the text of a choice
 */
export function toChatChoices({ choices }: JsonObject, say: (choice: JsonObject) => JsonObject): unknown[] {
  return listOf(choices).map((choice) => {
    if (!isObject(choice)) return choice;
    const { text: _, logprobs: __, ...rest } = choice;
    return { ...rest, ...say(choice) };
  });
}
