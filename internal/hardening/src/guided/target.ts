import { readFileSync } from 'node:fs';
import type { ToolDefinition } from '@kimi-tc/core';
import { checkLaws } from '../laws/laws.ts';
import { fromBytes } from './reply-bytes.ts';

const tools = JSON.parse(readFileSync(process.env.KIMI_FUZZ_TOOLS as string, 'utf8')) as ToolDefinition[];

/** What Jazzer.js calls: the laws hold for the reply that these bytes are. */
export function fuzz(bytes: Uint8Array): void {
  const { size, ...reply } = fromBytes(bytes, tools);
  checkLaws(reply, [size]);
}
