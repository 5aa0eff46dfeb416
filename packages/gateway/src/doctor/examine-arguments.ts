import { createParser, type KimiEvent } from '@kimi-tc/core';
import { isObject } from '../json.ts';
import type { FaultCode } from './faults.ts';

/**
 * What is wrong with the arguments of a call, as they came.
 *
 * @param args a string, or what the server sent instead
 * @returns `cut` if they stop in the middle, `undefined` if they are a JSON object
 */
export function examineArguments(args: unknown): FaultCode | 'cut' | undefined {
  if (isObject(args)) return 'arguments-as-object';
  const text = typeof args === 'string' ? args.trim() : '';
  const value = tryJson(text);
  if (isObject(value)) return undefined;
  if (typeof value === 'string')
    return isObject(tryJson(value)) ? 'arguments-double-encoded' : 'arguments-not-json';
  if (value !== undefined) return 'arguments-not-json';
  const half = text.slice(0, text.length / 2);
  if (half !== '' && text === half + half && isObject(tryJson(half))) return 'arguments-repeated';
  const events = readAsCall(text);
  if (events.some((event) => event.type === 'problem' && event.code === 'truncated-call')) return 'cut';
  const isRepaired = events.some((event) => event.type === 'problem' && event.code === 'arguments-repaired');
  return isRepaired ? 'arguments-with-control-characters' : 'arguments-not-json';
}

/** What our own parser makes of them. */
function readAsCall(text: string): KimiEvent[] {
  const events: KimiEvent[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feedToolCall({ index: 0, id: 'functions.any:0', name: 'any', arguments: text });
  parser.end();
  return events;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
