import type { AgentEvent } from '../agent.ts';
import { type ColumnsView, createColumnsView, createRawText } from './columns-view.ts';
import { createFlow, type Flow, labelWidth } from './flow.ts';
import { createReplyWriter, writeRaw } from './reply-writer.ts';
import type { Screen } from './screen.ts';
import { cutToWidth, showControls } from './text-width.ts';

/** Hears the events of a run and shows them. */
export type View = (event: AgentEvent) => void;

/** From this width on, raw text and what the app received stand side by side. */
const columnsFrom = 100;

/** Lines of a tool's result that are shown. */
const resultLines = 3;

/**
 * Shows a run to people.
 *
 * @param errors gets what went wrong
 */
export function createTextView(screen: Screen, errors: Screen, showRaw: boolean): View {
  let flow = createFlow(target(screen), screen.width);
  let received = createReplyWriter(flow);
  let raw = createRawText();
  let columns: ColumnsView | undefined;

  const beginTurn = (turn: number): void => {
    screen.write(`\n${rule(screen, `turn ${turn}`)}\n`);
    raw = createRawText();
    columns = showRaw && screen.width >= columnsFrom ? createColumnsView(screen) : undefined;
    flow = createFlow(target(screen), screen.width);
    received = createReplyWriter(flow);
    if (showRaw && !columns) title('the app received');
  };

  const title = (text: string): void => {
    screen.write(`${' '.repeat(labelWidth)}${screen.paint(text, 'strong')}\n`);
  };

  const endTurn = (): void => {
    flow.end();
    columns?.close();
    if (showRaw && !columns && raw.parts().length > 0) {
      title('the server sent');
      writeRaw(flow, raw.parts());
    }
    columns = undefined;
    raw = createRawText();
  };

  const say: Say = (label, write) => {
    flow.paragraph(label);
    write(flow);
    flow.end();
  };

  return (event) => {
    switch (event.type) {
      case 'run-start':
        showStart(event, say);
        return;
      case 'turn-start':
        beginTurn(event.turn);
        return;
      case 'raw-delta':
        if (columns) columns.raw(event.field, event.delta);
        else raw.add(event.field, event.delta);
        return;
      case 'turn-end':
        if (columns) columns.received(event);
        else received(event);
        endTurn();
        return;
      case 'tool-call-refused':
        say('not run', (to) => {
          to.write('✗', 'bad');
          to.write(` ${event.name} was cut off`);
        });
        return;
      case 'tool-result':
        say('result', (to) => {
          to.write(event.ok ? '✓' : '✗', event.ok ? 'good' : 'bad');
          to.write(` ${event.name}: ${event.summary}`);
        });
        if (event.ok && event.text !== event.summary) showResult(screen, event.text);
        return;
      case 'notice':
        say('we say', (to) => to.write(event.text, 'note'));
        return;
      case 'answer':
        if (showRaw && screen.width >= columnsFrom) {
          screen.write(`\n${rule(screen, 'answer')}\n`);
          say('', (to) => to.write(event.text));
        }
        return;
      case 'error':
        endTurn();
        errors.write(`\n${errors.paint('error', 'bad')}: ${showControls(event.message)}\n`);
        return;
      case 'run-end':
        endTurn();
        screen.write('\n');
        showEnd(event, say);
        return;
      default:
        if (columns) columns.received(event);
        else received(event);
    }
  };
}

function target(screen: Screen): Parameters<typeof createFlow>[0] {
  return {
    text: (text, style) => screen.write(screen.paint(text, style)),
    lineEnd: () => screen.write('\n'),
  };
}

function rule({ width, paint }: Screen, title: string): string {
  return `${paint('──', 'faint')} ${paint(title, 'strong')} ${paint('─'.repeat(Math.max(width - title.length - 4, 2)), 'faint')}`;
}

type Say = (label: string, write: (flow: Flow) => void) => void;

function showStart(
  { sdk, model, endpoint, transport, behaviour, question }: Extract<AgentEvent, { type: 'run-start' }>,
  say: Say,
): void {
  say('sdk', (to) => to.write(sdk));
  say('model', (to) => to.write(model, 'strong'));
  say('server', (to) => {
    to.write(endpoint);
    if (behaviour === undefined) return;
    to.write(', a pretend engine that plays a script (KIMI_BASE_URL sets a real one)', 'faint');
  });
  if (transport === 'completions') {
    say('transport', (to) => to.write('completions: prompts are written and raw text is read here'));
  }
  if (behaviour !== undefined) say('behaves', (to) => to.write(behaviour));
  say('question', (to) => to.write(question, 'strong'));
}

function showResult({ width, paint, write }: Screen, text: string): void {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const indent = ' '.repeat(labelWidth + 2);
  for (const line of lines.slice(0, resultLines)) {
    write(
      `${indent}${paint(cutToWidth(showControls(line.replaceAll('\t', '  ')), width - indent.length), 'faint')}\n`,
    );
  }
  if (lines.length > resultLines)
    write(`${indent}${paint(`… ${lines.length - resultLines} more lines`, 'faint')}\n`);
}

const outcomes: Readonly<Record<Extract<AgentEvent, { type: 'run-end' }>['outcome'], string>> = {
  answered: 'answered',
  'cut-off': 'the answer was cut off by the token limit',
  'no-answer': 'the model stopped without an answer',
  'turn-limit': 'no answer yet, and the model has had its turns',
  stopped: 'stopped',
  failed: 'failed',
};

function showEnd(event: Extract<AgentEvent, { type: 'run-end' }>, say: Say): void {
  const { outcome, turns, callsRun, callsRefused, checked } = event;
  const good = outcome === 'answered';
  const parts = [
    `${outcomes[outcome]} after ${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    `${callsRun} ${callsRun === 1 ? 'call' : 'calls'} ran`,
    ...(callsRefused > 0 ? [`${callsRefused} that ${callsRefused === 1 ? 'was' : 'were'} cut did not`] : []),
    ...(checked === undefined
      ? []
      : [`the engine checked ${checked} ${checked === 1 ? 'request' : 'requests'}`]),
  ];
  say('end', (to) => {
    to.write(good ? '✓' : '✗', good ? 'good' : 'bad');
    to.write(` ${parts.join(' · ')}`);
  });
}
