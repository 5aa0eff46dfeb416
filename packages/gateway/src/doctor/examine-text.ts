import { type ParserOptions, parse, parseToolCallId } from '@kimi-tc/core';
import { examineArguments } from './examine-arguments.ts';
import { excerpt, type FaultCode, type Finding } from './faults.ts';
import type { Chat } from './read-chat.ts';
import { toolNames, tools } from './tools.ts';

/** A token of the grammar of calls, well spelt or not. */
const ANY_TOKEN = /<\|\s?tool_calls?_\w+\s?\|>/;

/** What the fields of text hold that does not belong there. */
export function examineText(chat: Chat, wasCut: boolean): Finding[] {
  const { content, calls } = chat;
  const thought = chat.reasoningContent || chat.reasoning;
  const leaks = findCallLeaks(chat, thought);
  return [
    ...leaks,
    ...(leaks.length > 0 && !leaks.some(({ code }) => code === 'call-also-in-text')
      ? examineRawCalls(ANY_TOKEN.test(content) ? content : thought, wasCut)
      : []),
    ...(calls.length === 0 && leaks.length === 0 ? examineStripped(content || thought) : []),
    ...examineThink(content, thought, wasCut),
  ];
}

function findCallLeaks({ content, calls }: Chat, thought: string): Finding[] {
  const inContent = ANY_TOKEN.test(content);
  const inThought = ANY_TOKEN.test(thought);
  if (calls.length > 0 && (inContent || inThought)) {
    return [{ code: 'call-also-in-text', detail: excerptAt(inContent ? content : thought, ANY_TOKEN) }];
  }
  return [
    ...(inContent ? [{ code: 'calls-in-content', detail: excerptAt(content, ANY_TOKEN) } as const] : []),
    ...(inThought ? [{ code: 'calls-in-reasoning', detail: excerptAt(thought, ANY_TOKEN) } as const] : []),
  ];
}

function examineThink(content: string, thought: string, wasCut: boolean): Finding[] {
  const tag = /<\/?think>/;
  const end = /<\|im_end\|>|\[EO[ST]\]/;
  const findings: Finding[] = [];
  if (tag.test(content)) findings.push({ code: 'reasoning-in-content', detail: excerptAt(content, tag) });
  if (content.includes('<think>') && !content.includes('</think>') && !wasCut) {
    findings.push({ code: 'think-not-closed', detail: excerptAt(content, tag) });
  }
  if (/<\/think>/.test(thought)) {
    findings.push({ code: 'answer-in-reasoning', detail: excerptAt(thought, /<\/think>/) });
  }
  const ended = [content, thought].find((text) => end.test(text));
  if (ended !== undefined) findings.push({ code: 'end-token-in-text', detail: excerptAt(ended, end) });
  return findings;
}

/** Calls without their tokens: our own parser knows the form. */
function examineStripped(text: string): Finding[] {
  const { problems } = parse(text, { tools: tools as unknown as ParserOptions['tools'] });
  const isCall = problems.some(({ code }) => code === 'text-call-recovered');
  const name = new RegExp(`(functions\\.)?(${toolNames.join('|')}):\\d`);
  return isCall ? [{ code: 'tokens-stripped', detail: excerptAt(text, name) }] : [];
}

/** How raw calls differ from what the model was trained to write. */
function examineRawCalls(raw: string, wasCut: boolean): Finding[] {
  const findings: Finding[] = [];
  const add = (code: FaultCode, detail?: string): void => void findings.push({ code, detail });
  const spaced = /<\|\s+tool_calls?_\w+|<\|tool_calls?_\w+\s+\|>/;
  const singular = /<\|\s?tool_call_section_\w+\s?\|>/;
  if (spaced.test(raw)) add('tokens-spaced', excerptAt(raw, spaced));
  if (singular.test(raw)) add('section-tokens-singular', excerptAt(raw, singular));

  const text = raw
    .replace(/<\|\s*(tool_calls?_\w+)\s*\|>/g, '<|$1|>')
    .replaceAll('tool_call_section_', 'tool_calls_section_');
  const count = (token: string): number => text.split(`<|${token}|>`).length - 1;
  const begun = count('tool_call_begin');
  if (count('tool_call_argument_begin') > begun) {
    return [...findings, { code: 'begin-tokens-lost', detail: excerptAt(text, ANY_TOKEN) }];
  }
  if (!wasCut && count('tool_calls_section_begin') > count('tool_calls_section_end'))
    add('section-not-closed');
  if (!wasCut && begun > count('tool_call_end')) add('call-not-closed');
  const noise = /<\|tool_calls_section_begin\|>\s*([^\s<][^<]*)/.exec(text);
  if (noise) add('noise-in-section', excerpt(noise[1] ?? ''));
  for (const [, header = '', args = ''] of text.matchAll(RAW_CALL)) {
    const id = header.trim();
    const form = examineRawId(id);
    if (form) add(form, excerpt(id));
    const fault = examineArguments(args.trim());
    if (fault !== undefined && fault !== 'cut') add(fault, excerpt(args));
  }
  return findings;
}

/** Header and arguments of each raw call, closed by whatever closes it. */
const RAW_CALL =
  /<\|tool_call_begin\|>([\s\S]*?)<\|tool_call_argument_begin\|>([\s\S]*?)(?=<\|tool_call_end\|>|<\|tool_call_begin\|>|<\|tool_calls_section_end\|>|$)/g;

function examineRawId(id: string): FaultCode | undefined {
  if (/^functions\..+:\d+$/.test(id)) return undefined;
  const form = parseToolCallId(id)?.form;
  if (form === 'no-prefix') return 'id-without-prefix';
  if (form === 'counter-only') return 'id-bare-counter';
  if (/^functions_.+_\d+$/.test(id)) return 'id-underscored';
  if (!toolNames.some((name) => id.includes(name))) return 'id-opaque';
  return /\d$/.test(id) ? 'id-glued' : 'id-without-counter';
}

function excerptAt(text: string, pattern: RegExp): string {
  const at = Math.max(0, (pattern.exec(text)?.index ?? 0) - 20);
  return (at > 0 ? '…' : '') + excerpt(text.slice(at));
}
