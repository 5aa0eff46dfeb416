import type { CorpusCase } from '@kimi-tc/testing';
import { cutEvery } from './cuts.ts';
import { fromCase } from './from-case.ts';
import { type Delta, MOST_TEXT, type Reply, replySchema } from './reply.ts';

/** Why pasted text is not taken. */
export class PasteError extends Error {
  override readonly name: string = 'PasteError';
}

/** How pasted text is cut at first. */
const UNITS = 16;

/**
 * What was pasted, as a reply: model text, or the JSON of a case with its cuts, tools and options.
 * @param reply gives what mere text does not say: tools, options and finish reason
 * @throws PasteError when it is too long, or a case that is none
 */
export function readPasted(content: string, reasoning: string, reply: Reply): Reply {
  const length = content.length + reasoning.length;
  const found = readCase(content);
  if (found) return found;
  if (length > MOST_TEXT)
    throw new PasteError(`${length} units are too much to look at; at most ${MOST_TEXT}.`);
  const fields: Delta[] = [
    { channel: 'reasoning', text: reasoning },
    { channel: 'content', text: content },
  ];
  return { ...reply, deltas: cutEvery(fields, UNITS) };
}

/** The reply of a case; nothing if the text is no JSON of one. */
function readCase(text: string): Reply | undefined {
  const json = parseJson(text);
  if (typeof json !== 'object' || json === null || !('input' in json) || !('expected' in json))
    return undefined;
  const read = replySchema.safeParse(toReply(json as CorpusCase));
  if (read.success) return read.data as Reply;
  const [issue] = read.error.issues;
  throw new PasteError(`This looks like a case, and is none: ${issue?.path.join('.')}: ${issue?.message}`);
}

function toReply(json: CorpusCase): Reply | undefined {
  try {
    return fromCase(json);
  } catch {
    return undefined; // the schema says what is missing
  }
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
