import type { AgentEvent, RawField } from '../agent.ts';
import type { Flow } from './flow.ts';
import type { Style } from './paint.ts';

/** Writes what the app received in one turn into a flow, while it comes. */
export function createReplyWriter(flow: Flow): (event: AgentEvent) => void {
  let current = '';
  /** Fragments of calls that are not the last one begun, which some servers send in turns. */
  const waiting = new Map<number, { name: string; text: string }>();
  const names = new Map<number, string>();
  /** By code, each told once and behind the reply. */
  const problems = new Map<string, string>();

  const open = (block: string, label: string): void => {
    if (current === block) return;
    current = block;
    flow.paragraph(label);
  };

  return (event) => {
    switch (event.type) {
      case 'reasoning-delta':
        if (current === '' && event.delta.trim() === '') return;
        open('thinking', 'thinking');
        flow.write(event.delta, 'thought');
        return;
      case 'text-delta':
        if (current !== 'text' && event.delta.trim() === '') return;
        open('text', 'text');
        flow.write(event.delta);
        return;
      case 'tool-call-start':
        names.set(event.index, event.name);
        open(`call ${event.index}`, 'call');
        flow.write(event.name, 'call');
        flow.write(' ');
        return;
      case 'tool-call-delta':
        if (current === `call ${event.index}`) {
          flow.write(event.delta, 'arguments');
        } else {
          const { text = '' } = waiting.get(event.index) ?? {};
          waiting.set(event.index, { name: names.get(event.index) ?? '', text: text + event.delta });
        }
        return;
      case 'turn-end':
        for (const { name, text } of waiting.values()) {
          flow.paragraph('call');
          flow.write(`${name} … `, 'call');
          flow.write(text, 'arguments');
        }
        for (const [code, message] of problems) {
          flow.paragraph('problem');
          flow.write(code, 'note');
          flow.write(`: ${message}`, 'faint');
        }
        flow.paragraph('finish');
        flow.write(event.finishReason ?? 'none', 'faint');
        flow.end();
        return;
      case 'problem':
        problems.set(event.code, event.message);
        return;
    }
  };
}

const token = /(<\|[^<|>\n]{1,40}\|>|<\/?think>)/;

const labels: Readonly<Record<RawField, string>> = {
  content: 'content',
  reasoning_content: 'reasoning',
  reasoning: 'reasoning',
  tool_calls: 'calls',
  text: 'text',
  finish_reason: 'finish',
};

/** Writes what a server sent in one turn into a flow, once it is complete: special tokens stand out. */
export function writeRaw(flow: Flow, raw: readonly { field: RawField; text: string }[]): void {
  for (const { field, text } of raw) {
    flow.paragraph(labels[field]);
    for (const part of text.split(token)) {
      if (part !== '') flow.write(part, styleOf(field, part));
    }
  }
  flow.end();
}

function styleOf(field: RawField, part: string): Style {
  if (field === 'finish_reason') return 'faint';
  return token.test(part) ? 'token' : 'plain';
}
