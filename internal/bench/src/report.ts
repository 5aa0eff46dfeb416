import type { ContenderName } from './contenders.ts';
import type { Growth } from './linearity.ts';
import type { Timing } from './measure.ts';
import type { RequestGrowth } from './requests.ts';

/** One shape of reply in deltas of one length, read by everyone. */
export interface Row {
  shape: string;
  deltaLength: number;
  /** How many deltas the reply has. */
  deltas: number;
  timings: Partial<Record<ContenderName, Timing>>;
}

export interface Report {
  node: string;
  /** Milliseconds after which one reading was given up. */
  limit: number;
  rows: Row[];
  growth: { megabytes: number[]; lengths: Growth[] };
  heldBack: { shape: string; deltaLength: number; units: number };
  requests: { messages: number[]; works: RequestGrowth[] };
}

/** What the parser is to reach; printed with what it did reach. */
export const AIMS = { jsonShare: 0.15, jsonDeltaLength: 4, hermesRatio: 100, hermesShape: '100 kB argument' };

const ROW_HEAD = [
  'reply',
  'delta',
  'parser',
  'callback',
  'JSON.parse',
  'parser ÷ JSON.parse',
  'regex ÷ parser',
  'hermes ÷ parser',
];

const count = (value: number) =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');

function nanoseconds(timing: Timing | undefined, deltas: number): string {
  return timing === undefined ? '–' : `${count((timing.time * 1e6) / deltas)} ns`;
}

export function jsonShare({ timings }: Row): number {
  return 1 / (timings['json-parse'] as Timing).ratio;
}

function times(timing: Timing | undefined): string {
  if (timing === undefined) return '–';
  const ratio = timing.ratio < 10 ? timing.ratio.toPrecision(2) : count(timing.ratio);
  return timing.gaveUp === undefined ? `${ratio} ×` : `> ${ratio} × (gave up at ${percent(timing.gaveUp)})`;
}

const percent = (part: number) => `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`;

function rowCells(row: Row): string[] {
  const { parser, callback, regex, hermes } = row.timings;
  return [
    row.shape,
    String(row.deltaLength),
    nanoseconds(parser, row.deltas),
    nanoseconds(callback, row.deltas),
    nanoseconds(row.timings['json-parse'], row.deltas),
    percent(jsonShare(row)),
    times(regex),
    times(hermes),
  ];
}

function milliseconds(time: number): string {
  return `${time < 10 ? time.toPrecision(2) : count(time)} ms`;
}

/** Times with the ratio to the one before. */
function doublingCells(times: readonly number[]): string[] {
  return times.map((time, at) => {
    const before = times[at - 1];
    return `${milliseconds(time)}${before === undefined ? '' : ` (× ${(time / before).toFixed(2)})`}`;
  });
}

function growthCells({ deltaLength, times }: Growth): string[] {
  return [String(deltaLength), ...doublingCells(times)];
}

function requestCells({ work, times, ratios }: RequestGrowth): string[] {
  return [work, ...doublingCells(times), `${(ratios.at(-1) as number).toPrecision(2)} ×`];
}

type Draw = (head: readonly string[], rows: readonly string[][], leftAligned: number) => string;

const drawMarkdown: Draw = (head, rows, leftAligned) => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at < leftAligned ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
};

const drawPlain: Draw = (head, rows, leftAligned) => {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) =>
        at < leftAligned ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number),
      )
      .join('  ');
  return [line(head), ...rows.map(line)].join('\n');
};

/** The report as tables, for a terminal or for a README. */
export function formatReport(report: Report, form: 'plain' | 'markdown'): string {
  const draw = form === 'markdown' ? drawMarkdown : drawPlain;
  const { rows, growth, heldBack, requests, limit } = report;
  const sections = [
    draw(ROW_HEAD, rows.map(rowCells), 1),
    `Times are per delta, \`delta\` is its length in UTF-16 units. A reading that took more than ${limit / 1000} s was given up: its ratio counts only the time until then.`,
    draw(['delta', ...growth.megabytes.map((size) => `${size} MB`)], growth.lengths.map(growthCells), 0),
    `One call with arguments of that size, and the ratio to half of it.`,
    `Held back at most, ${heldBack.shape} in deltas of ${heldBack.deltaLength}: ${heldBack.units} UTF-16 units.`,
    draw(
      ['work', ...requests.messages.map((length) => `${count(length)} messages`), '÷ JSON.stringify'],
      requests.works.map(requestCells),
      1,
    ),
    `One conversation of that length, the ratio to half of it, and to JSON.stringify of the longest.`,
  ];
  return sections.join('\n\n');
}

/** One line for each aim: what was reached, and where it was missed. */
export function formatAims({ rows }: Report): string {
  const shares = rows.filter((row) => row.deltaLength === AIMS.jsonDeltaLength);
  const missed = shares.filter((row) => jsonShare(row) > AIMS.jsonShare);
  const ratios = rows
    .filter((row) => row.shape === AIMS.hermesShape)
    .map((row) => [row.deltaLength, row.timings.hermes as Timing] as const);
  const slow = ratios.filter(([, { ratio }]) => ratio < AIMS.hermesRatio);
  const verdict = (all: boolean) => (all ? 'met' : 'MISSED');
  return [
    `${verdict(missed.length === 0)}: at most ${percent(AIMS.jsonShare)} of JSON.parse in deltas of ${AIMS.jsonDeltaLength}` +
      missed.map((row) => `; ${row.shape}: ${percent(jsonShare(row))}`).join(''),
    `${verdict(slow.length === 0)}: ${AIMS.hermesShape} at least ${AIMS.hermesRatio} times faster than hermes` +
      ratios.map(([length, timing]) => `; ${length}: ${times(timing)}`).join(''),
  ].join('\n');
}
