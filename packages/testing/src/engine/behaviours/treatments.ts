import type { Behaviour } from '../behaviour.ts';
import { readK2 } from '../k2-reader.ts';
import { type Pieces, slicePieces } from '../pieces.ts';
import { type Part, textPart } from '../reply.ts';

export type Treatment =
  | 'healthy'
  | 'split-reasoning'
  | 'raw-content'
  | 'raw-reasoning'
  | 'raw-reasoning-field';

/** What the server makes of the model's text. */
export const treatments: Readonly<Record<Treatment, Behaviour>> = {
  healthy: {
    doc: 'Parses the text properly: reasoning in `reasoning_content`, calls in `tool_calls`. Text that is not well-formed is an error of the script.',
    source: 'MoonshotAI docs: Tool Use',
    treat: readProperly,
  },
  'split-reasoning': {
    doc: 'Knows the think tags and nothing else: what stands before `</think>` goes to `reasoning_content`, the rest raw to `content`; without the tag everything is reasoning.',
    source: 'vllm-project/vllm#33646, vybestack/llxprt-code#749',
    treat: splitReasoning,
  },
  'raw-content': {
    doc: 'Leaves the raw text in `content`.',
    source: 'NousResearch/hermes-agent#24534, cline/cline#12979',
    treat: (pieces) => [textPart('content', pieces)],
  },
  'raw-reasoning': {
    doc: 'Leaves the raw text in `reasoning_content`.',
    source: 'MoonshotAI/Kimi-K2#89, vybestack/llxprt-code#749',
    treat: (pieces) => [textPart('reasoning_content', pieces)],
  },
  'raw-reasoning-field': {
    doc: 'Leaves the raw text in `reasoning`.',
    source: 'ml-explore/mlx-lm#1262',
    treat: (pieces) => [textPart('reasoning', pieces)],
  },
};

function readProperly(pieces: Pieces): Part[] {
  let index = 0;
  return readK2(pieces.join('')).map((segment): Part => {
    const own = slicePieces(pieces, segment.start, segment.end);
    if (segment.type === 'call') {
      return { type: 'call', index: index++, id: segment.id, name: segment.name, pieces: own };
    }
    return textPart(segment.type === 'reasoning' ? 'reasoning_content' : 'content', own);
  });
}

function splitReasoning(pieces: Pieces): Part[] {
  const text = pieces.join('');
  const start = text.startsWith('<think>') ? '<think>'.length : 0;
  const close = text.indexOf('</think>');
  if (close === -1) return [textPart('reasoning_content', slicePieces(pieces, start, text.length))];
  return [
    textPart('reasoning_content', slicePieces(pieces, start, close)),
    textPart('content', slicePieces(pieces, close + '</think>'.length, text.length)),
  ];
}
