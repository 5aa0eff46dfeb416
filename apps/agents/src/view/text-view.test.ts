import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../agent.ts';
import { createPaint } from './paint.ts';
import { createScreen, type Screen } from './screen.ts';
import { createTextView } from './text-view.ts';
import { textWidth } from './text-width.ts';

interface FakeScreen extends Screen {
  text: string;
}

function createFakeScreen(width: number, colours = false): FakeScreen {
  return {
    text: '',
    width,
    height: 0,
    paint: createPaint(colours),
    write(text) {
      this.text += text;
    },
  };
}

function show(events: readonly AgentEvent[], width: number, showRaw: boolean): string {
  const screen = createFakeScreen(width);
  const view = createTextView(screen, screen, showRaw);
  for (const event of events) view(event);
  return screen.text;
}

const turn: AgentEvent[] = [
  { type: 'turn-start', turn: 1 },
  { type: 'raw-delta', field: 'content', delta: '<think>Hm.</think>So:<|tool_calls_section_' },
  { type: 'reasoning-delta', delta: 'Hm.' },
  { type: 'text-delta', delta: 'So:' },
  { type: 'raw-delta', field: 'content', delta: 'begin|>x' },
  { type: 'raw-delta', field: 'finish_reason', delta: 'stop' },
  { type: 'tool-call-start', index: 0, id: 'functions.calculator:0', name: 'calculator' },
  { type: 'tool-call-delta', index: 0, delta: '{"expression": ' },
  { type: 'tool-call-delta', index: 0, delta: '"1 + 1"}' },
  { type: 'problem', code: 'unclosed-call', message: 'The call was not closed.' },
  { type: 'turn-end', finishReason: 'tool_calls' },
  {
    type: 'tool-result',
    id: 'functions.calculator:0',
    name: 'calculator',
    ok: true,
    summary: '2',
    text: '2',
  },
];

describe('the text view', () => {
  it('shows a turn in the order in which it comes', () => {
    expect(show(turn, 60, false).split('\n')).toEqual([
      '',
      `── turn 1 ${'─'.repeat(50)}`,
      'thinking  Hm.',
      'text      So:',
      'call      calculator {"expression": "1 + 1"}',
      'problem   unclosed-call: The call was not closed.',
      'finish    tool_calls',
      'result    ✓ calculator: 2',
      '',
    ]);
  });

  it('shows the raw text under it when narrow', () => {
    expect(show(turn, 60, true).split('\n').slice(2)).toEqual([
      '          the app received',
      'thinking  Hm.',
      'text      So:',
      'call      calculator {"expression": "1 + 1"}',
      'problem   unclosed-call: The call was not closed.',
      'finish    tool_calls',
      '          the server sent',
      'content   <think>Hm.</think>So:<|tool_calls_section_begin|>x',
      'finish    stop',
      'result    ✓ calculator: 2',
      '',
    ]);
  });

  it('shows the raw text beside it when wide', () => {
    const half = (text: string): string => text.padEnd(48);
    expect(show(turn, 100, true).split('\n').slice(2)).toEqual([
      `${half('          the server sent')} │           the app received`,
      `${half('content   <think>Hm.</think>So:')} │ thinking  Hm.`,
      `${half('          <|tool_calls_section_begin|>x')} │ text      So:`,
      `${half('finish    stop')} │ call      calculator {"expression": "1 + 1"}`,
      `${half('')} │ problem   unclosed-call: The call was not closed.`,
      `${half('')} │ finish    tool_calls`,
      'result    ✓ calculator: 2',
      '',
    ]);
  });

  it.each([30, 60, 80, 100, 140])('keeps to %d columns', (width) => {
    for (const showRaw of [false, true]) {
      for (const line of show(turn, width, showRaw).split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('keeps calls apart that come in turns', () => {
    const lines = show(
      [
        { type: 'turn-start', turn: 1 },
        { type: 'tool-call-start', index: 0, id: 'a', name: 'list_files' },
        { type: 'tool-call-start', index: 1, id: 'b', name: 'calculator' },
        { type: 'tool-call-delta', index: 0, delta: '{"path": ' },
        { type: 'tool-call-delta', index: 1, delta: '{"expression": ' },
        { type: 'tool-call-delta', index: 0, delta: '"src"}' },
        { type: 'tool-call-delta', index: 1, delta: '"1"}' },
        { type: 'turn-end', finishReason: 'tool_calls' },
      ],
      60,
      false,
    ).split('\n');
    expect(lines).toContain('call      calculator {"expression": "1"}');
    expect(lines).toContain('call      list_files … {"path": "src"}');
  });

  it('shows what a turn had when it breaks off, and the error apart', () => {
    const [screen, errors] = [createFakeScreen(100), createFakeScreen(100)];
    const view = createTextView(screen, errors, true);
    for (const event of turn.slice(0, 5)) view(event);
    view({ type: 'error', message: 'terminated\u001b[2J' });
    expect(screen.text).toContain('│ text      So:');
    expect(errors.text).toBe('\nerror: terminated␛[2J\n');
  });
});

describe('a turn that is drawn over while it comes', () => {
  /** What a terminal shows of it in the end. */
  function replay(written: string): string {
    const lines = [''];
    for (const part of written.replaceAll('\u001b', 'ESC').split(/(ESC\[\d+A\rESC\[J|\n)/)) {
      const [, up] = /\[(\d+)A/.exec(part) ?? [];
      if (part === '\n') lines.push('');
      else if (up !== undefined) lines.splice(lines.length - 1 - Number(up), Number(up));
      else lines[lines.length - 1] += part;
    }
    return lines.join('\n');
  }

  it.each([2, 4, 50])('ends as one that is drawn once, on %d lines', async (height) => {
    const screen = { ...createFakeScreen(100), height };
    const view = createTextView(screen, screen, true);
    for (const event of turn) {
      view(event);
      await sleep(45); // longer than between two drawings
    }
    expect(screen.text.includes('\u001b[J')).toBe(height > 2);
    expect(replay(screen.text)).toBe(show(turn, 100, true));
  });
});

describe('a screen', () => {
  const terminal = {
    isTTY: true,
    columns: 200,
    rows: 50,
    write: () => true,
  } as unknown as NodeJS.WriteStream;
  const pipe = { write: () => true } as unknown as NodeJS.WriteStream;

  it('has colours on a terminal only', () => {
    expect(createScreen(terminal, {}).paint('text', 'good')).toBe('\u001b[32mtext\u001b[39m');
    expect(createScreen(pipe, {}).paint('text', 'good')).toBe('text');
    expect(createScreen(terminal, { NO_COLOR: '1' }).paint('text', 'good')).toBe('text');
    expect(createScreen(terminal, { TERM: 'dumb' }).paint('text', 'good')).toBe('text');
  });

  it('takes its size from the terminal, within reason', () => {
    expect(createScreen(terminal, {})).toMatchObject({ width: 160, height: 50 });
    expect(createScreen(pipe, {})).toMatchObject({ width: 80, height: 0 });
  });
});
