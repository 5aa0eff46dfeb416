import { textOf } from '../json.ts';
import { examineArguments } from './examine-arguments.ts';
import { excerpt, type FaultCode, type Finding } from './faults.ts';
import type { Chat, SeenCall } from './read-chat.ts';
import { toolNames } from './tools.ts';

const NATIVE_ID = /^functions\..+:\d+$/;

export interface CallsContext {
  /** Ids of earlier calls of the conversation. */
  readonly taken: readonly string[];
  /** Whether the model knows ids of its own: those of K3 have no form. */
  readonly hasNativeIds: boolean;
  /** The reply did not come to its end. */
  readonly wasCut: boolean;
}

/** What is wrong with the calls that a server parsed. */
export function examineCalls(chat: Chat, { taken, hasNativeIds, wasCut }: CallsContext): Finding[] {
  const { calls, streamed } = chat;
  const seen = new Set(taken);
  const shared = calls.filter(holdsSeveral);
  if (shared.length > 0)
    return shared.map((call) => ({ code: 'calls-share-index', detail: idsOf(call).slice(0, 3).join(', ') }));
  const findings = calls.flatMap((call) => {
    const own = [...examineId(call, seen, hasNativeIds), ...examineName(call), ...examineValue(call, wasCut)];
    seen.add(call.id);
    return own;
  });
  return streamed
    ? [...findings, ...calls.flatMap((call) => examineFragments(call, wasCut)), ...examineOrder(chat)]
    : findings;
}

/** Whether SDKs make one call of several: a new id with a name, behind arguments that are whole. */
function holdsSeveral({ fragments }: SeenCall): boolean {
  const [first] = fragments;
  const next = fragments.findIndex(
    ({ id, name }) => textOf(id) !== '' && textOf(name) !== '' && id !== first?.id,
  );
  if (next < 0) return false;
  const before = fragments.slice(0, next).map((fragment) => textOf(fragment.arguments));
  return examineArguments(before.join('')) === undefined;
}

function idsOf({ fragments }: SeenCall): string[] {
  return [...new Set(fragments.map((fragment) => textOf(fragment.id)).filter((id) => id !== ''))];
}

function examineId(call: SeenCall, seen: ReadonlySet<string>, hasNativeIds: boolean): Finding[] {
  const { id } = call;
  const ids = idsOf(call);
  if (ids.length > 1) return [{ code: 'call-id-changes', detail: ids.slice(0, 3).join(', ') }];
  if (id === '') return [{ code: 'id-missing' }];
  return [
    ...(seen.has(id) ? [{ code: 'ids-repeated', detail: id } as const] : []),
    ...(!hasNativeIds || NATIVE_ID.test(id)
      ? []
      : [{ code: 'ids-not-native', detail: excerpt(id) } as const]),
  ];
}

function examineName({ name, fragments }: SeenCall): Finding[] {
  const names = fragments.map((fragment) => textOf(fragment.name)).filter((one) => one !== '');
  if (names.length > 1) {
    const isSame = names.every((one) => one === name);
    return [{ code: isSame ? 'name-repeated' : 'name-in-fragments', detail: names.slice(0, 3).join(' | ') }];
  }
  if (toolNames.includes(name)) return [];
  const isDressed = toolNames.some((one) => name.trim() === one || name.endsWith(`.${one}`));
  return [{ code: isDressed ? 'tool-name-changed' : 'unknown-tool', detail: excerpt(JSON.stringify(name)) }];
}

function examineValue(call: SeenCall, wasCut: boolean): Finding[] {
  const fault = examineArguments(call.arguments);
  if (fault === undefined) return [];
  const detail = excerpt(textOf(call.arguments) || JSON.stringify(call.arguments ?? ''));
  if (fault !== 'cut') return [{ code: fault, detail }];
  return wasCut ? [] : [{ code: 'arguments-not-json', detail }];
}

/** How one call is spread over chunks. */
function examineFragments({ fragments }: SeenCall, wasCut: boolean): Finding[] {
  const [first, ...later] = fragments;
  const has = (test: (fragment: (typeof fragments)[number]) => boolean): boolean => later.some(test);
  const filled = fragments.filter(
    (fragment) => fragment.arguments !== undefined && fragment.arguments !== '',
  );
  const inOnePiece = !wasCut && filled.length === 1 && typeof filled[0]?.arguments === 'string';
  const codes: (FaultCode | false)[] = [
    has(({ id, type }) => id === '' || type === '') && 'fields-empty',
    has(({ name }) => name === '') && 'name-empty-on-fragments',
    has((fragment) => fragment.chunk === first?.chunk) && 'same-index-twice',
    inOnePiece && (filled[0] === first ? 'call-at-once' : 'arguments-at-once'),
  ];
  return codes.filter((code) => code !== false).map((code) => ({ code }));
}

/** How the calls of a stream stand to each other. */
function examineOrder({ calls, pieces }: Chat): Finding[] {
  const findings: Finding[] = [];
  const indexes = calls.map(({ index }) => index);
  if (indexes.some((index, at) => index !== at)) {
    findings.push({ code: 'call-index-not-dense', detail: indexes.map(String).join(', ') });
  }
  const ends = calls.map(({ fragments }) => fragments.at(-1)?.chunk ?? 0);
  const begins = calls.map(({ fragments }) => fragments[0]?.chunk ?? 0);
  if (begins.some((begin, at) => at > 0 && begin < (ends[at - 1] ?? 0)))
    findings.push({ code: 'calls-interleaved' });
  const besideText = pieces.some((piece) => {
    const { tool_calls: list, content, reasoning_content, reasoning } = piece;
    const hasText = [content, reasoning_content, reasoning].some((text) => textOf(text) !== '');
    return Array.isArray(list) && list.length === 0 && hasText;
  });
  if (besideText) findings.push({ code: 'empty-tool-calls' });
  if (pieces.some(({ role }, at) => at > 0 && role === '')) findings.push({ code: 'fields-empty' });
  return findings;
}
