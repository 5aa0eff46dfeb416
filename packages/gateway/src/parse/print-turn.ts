import type { KimiTurn } from '@kimi-tc/core';
import type { Paint } from '../terminal/paint.ts';

/** A turn for people: what was thought, said and called, and what was wrong. Parts that are empty are left out. */
export function printTurn(turn: KimiTurn, paint: Paint): string {
  const { reasoning, content, toolCalls, incompleteToolCalls, finishReason, problems } = turn;
  const head = (title: string): string => paint('bold', title);
  const parts = [
    reasoning !== '' && `${head('reasoning')}\n${indent(paint('dim', reasoning))}`,
    content !== '' && `${head('content')}\n${indent(content)}`,
    ...toolCalls.map(
      ({ id, arguments: args }) => `${head('call')} ${paint('green', id)}\n${indent(prettify(args))}`,
    ),
    ...incompleteToolCalls.map(
      ({ id, name, arguments: args, reason }) =>
        `${head('incomplete call')} ${paint('red', id || name || '(no name)')} ${reason}, must not run\n${indent(args)}`,
    ),
    problems.length > 0 &&
      `${head('problems')}\n${problems
        .map(({ code, offset, message }) => `  ${paint('yellow', code)} at ${offset}: ${message}`)
        .join('\n')}`,
    `${head('finish')} ${finishReason.unified}`,
  ];
  return `${parts.filter((part) => part !== false).join('\n')}\n`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

/** Arguments in lines; as they are where they are no JSON. */
function prettify(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
