import type { Behaviour } from '../behaviour.ts';
import { type Pieces, replaceInPieces, slicePieces } from '../pieces.ts';

export type TextFault =
  | 'stripped-tokens'
  | 'think-close-stripped'
  | 'begin-markers-swallowed'
  | 'section-end-missing'
  | 'call-end-missing'
  | 'singular-section-markers'
  | 'spaced-markers'
  | 'noise-in-section'
  | 'ids-without-prefix'
  | 'glued-ids'
  | 'underscored-ids'
  | 'bare-counter-ids'
  | 'opaque-ids-in-text'
  | 'control-characters-in-arguments'
  | 'double-encoded-arguments';

const toolMarker = /<\|(tool_calls?_(?:section_)?(?:argument_)?(?:begin|end))\|>/g;
const callHeader =
  /(?<=<\|tool_call_begin\|>\s*)functions\.(\S+?):(\d+)(?=\s*<\|tool_call_argument_begin\|>)/g;
const callArguments = /(?<=<\|tool_call_argument_begin\|>)[\s\S]*?(?=<\|tool_call_end\|>)/g;

/**
 * What happens to the model's text before a server reads it, by the model or by decoding. These turn
 * up in the raw text; unless another treatment is named it is left in `content`.
 */
export const textFaults: Readonly<Record<TextFault, Behaviour>> = {
  'stripped-tokens': {
    doc: 'Prints no special tokens: all `<|…|>` are gone, the id and the arguments of a call stand in the text.',
    source: 'ikawrakow/ik_llama.cpp#955',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, /<\|\w+\|>/g, () => ''),
  },
  'think-close-stripped': {
    doc: 'Loses `</think>` in decoding.',
    source: 'ai-dynamo/dynamo#9227',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, /<\/think>/g, () => ''),
  },
  'begin-markers-swallowed': {
    doc: 'Loses section begin, call begin, call end and the prefix of the id: `NAME:0<|tool_call_argument_begin|>{…}<|tool_calls_section_end|>`.',
    source: 'typeclaw/typeclaw#344',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(
        pieces,
        /<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>\s*(?:functions\.)?|<\|tool_call_end\|>/g,
        () => '',
      ),
  },
  'section-end-missing': {
    doc: 'The section is never closed.',
    source: 'ai-dynamo/dynamo#8208',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, /<\|tool_calls_section_end\|>/g, () => ''),
  },
  'call-end-missing': {
    doc: 'Calls are closed by the next call or the end of the section only.',
    source: 'ai-dynamo/frontend-crates#191',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, /<\|tool_call_end\|>/g, () => ''),
  },
  'singular-section-markers': {
    doc: 'Spells the section markers `<|tool_call_section_begin|>` and `<|tool_call_section_end|>`.',
    source: 'ggml-org/llama.cpp#17376',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(
        pieces,
        /<\|tool_calls_section_(begin|end)\|>/g,
        ([, side]) => `<|tool_call_section_${side}|>`,
      ),
  },
  'spaced-markers': {
    doc: 'Writes a space inside both bars of each marker: `<| tool_call_begin |>`.',
    source: 'openclaw/openclaw#60465',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, toolMarker, ([, name]) => `<| ${name} |>`),
  },
  'noise-in-section': {
    doc: 'Puts a row of exclamation marks between section begin and call begin.',
    source: 'vllm-project/vllm#37384',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(pieces, /<\|tool_calls_section_begin\|>/g, ([marker]) => `${marker}!!!!!!!!\n`),
  },
  'ids-without-prefix': {
    doc: 'Writes ids as `NAME:0`.',
    source: 'thinking-machines-lab/tinker-cookbook#248',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, callHeader, ([, name, count]) => `${name}:${count}`),
  },
  'glued-ids': {
    doc: 'Writes ids as `functions.NAME0`.',
    source: 'sgl-project/sglang#21377',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(pieces, callHeader, ([, name, count]) => `functions.${name}${count}`),
  },
  'underscored-ids': {
    doc: 'Writes ids as `functions_NAME_0`.',
    source: 'ggml-org/llama.cpp#24658',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(pieces, callHeader, ([, name, count]) => `functions_${name}_${count}`),
  },
  'bare-counter-ids': {
    doc: 'Writes ids as `0`: the name has to be found from the arguments.',
    source: 'vllm-project/vllm#38579',
    treatment: 'raw-content',
    editText: (pieces) => replaceInPieces(pieces, callHeader, ([, , count]) => `${count}`),
  },
  'opaque-ids-in-text': {
    doc: 'Copies foreign ids, `call00003`: the name has to be found from the arguments.',
    source: 'sgl-project/sglang#25358',
    treatment: 'raw-content',
    editText: (pieces) =>
      replaceInPieces(pieces, callHeader, ([, , count = '']) => `call${count.padStart(5, '0')}`),
  },
  'control-characters-in-arguments': {
    doc: 'Writes raw line breaks and tabs inside the strings of arguments.',
    source: 'MoonshotAI/kimi-cli#1378',
    editText: (pieces) =>
      replaceInPieces(pieces, callArguments, ([json]) =>
        json.replace(/\\(.)/g, (whole, unit) => (unit === 'n' ? '\n' : unit === 't' ? '\t' : whole)),
      ),
  },
  'double-encoded-arguments': {
    doc: 'Encodes arguments twice: a JSON string that holds the JSON.',
    source: 'MoonshotAI/Kimi-K2#26',
    editText: encodeTwice,
  },
};

/** The encoded text is cut where the plain text was. */
function encodeTwice(pieces: Pieces): Pieces {
  const text = pieces.join('');
  let read = 0;
  const edited: string[] = [];
  for (const match of text.matchAll(callArguments)) {
    const end = match.index + match[0].length;
    edited.push(...slicePieces(pieces, read, match.index), '"');
    edited.push(
      ...slicePieces(pieces, match.index, end).map((piece) => JSON.stringify(piece).slice(1, -1)),
      '"',
    );
    read = end;
  }
  return [...edited, ...slicePieces(pieces, read, text.length)];
}
