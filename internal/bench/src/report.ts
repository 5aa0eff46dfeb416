import { AI_SDK, GATEWAY, PARSER, REQUESTS, SDK } from './about.ts';
import type { ClientRow, Cost } from './client-times.ts';
import type { ContenderName } from './contenders.ts';
import type { Table } from './draw-table.ts';
import { GATEWAY_CHUNKS, type GatewayRow } from './gateways.ts';
import type { Growth } from './linearity.ts';
import type { ManyStreams } from './many-streams.ts';
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
  clients: ClientReport;
  gateways: GatewayRow[];
}

export interface ClientReport {
  /** The OpenAI SDK over fetches. */
  sdk: ClientRow[];
  /** The AI SDK over models. */
  aiSdk: ClientRow[];
  manyStreams: ManyStreams;
}

/** What the parser is to reach; printed with what it did reach. */
export const AIMS = {
  jsonShare: 0.15,
  jsonDeltaLength: 4,
  hermesRatio: 100,
  hermesShape: '100 kB argument',
  /** Times of what it takes without help, by the clock. */
  healthyFetch: 1.15,
  rawFetch: 1.5,
  middleware: 1.1,
};

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

function clientHead({ clients }: ClientRow): string[] {
  const [bare, ...others] = clients.map(({ name }) => name);
  return ['reply', 'events per write', `${bare}: CPU`, ...others.flatMap((name) => [`${name}: CPU`, 'wall'])];
}

function clientCells({ reply, eventsPerWrite, clients }: ClientRow): string[] {
  const [bare, ...others] = clients as [ClientRow['clients'][0], ...ClientRow['clients']];
  const cells = others.flatMap(({ cost, ratio, spread }) => [
    `${milliseconds(cost.cpu)} (${ratio.cpu.toFixed(2)} ×)`,
    `${ratio.wall.toFixed(2)} ×${spread ? ` (${spread.least.toFixed(2)}–${spread.most.toFixed(2)})` : ''}`,
  ]);
  return [reply, String(eventsPerWrite ?? 'all'), milliseconds(bare.cost.cpu), ...cells];
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function formatManyStreams({ streams, chunks, atOnce, wrong, cost, heap }: ManyStreams): string {
  const [before, ...after] = heap.map(megabytes);
  return `${streams} streams through one fetch, ${count(chunks)} chunks, ${atOnce} open at once: ${wrong} read as anything but their own turn; ${count(cost.cpu)} ms of CPU. Heap in use ${before} before, and after ${after.length} such runs ${after.join(', ')}.`;
}

const GATEWAY_HEAD = ['reply', 'way', 'first token', 'added', 'chunks a second'];

function gatewayCells({ reply, way, firstToken, added, chunksPerSecond }: GatewayRow): string[] {
  const more = way === 'direct' ? '–' : milliseconds(added);
  return [reply, way, milliseconds(firstToken), more, count(chunksPerSecond)];
}

/** One table, with what it shows and how it was made. */
export interface Section {
  title: string;
  /** Markdown. What was compared, and how. */
  about: string;
  table: Table;
  /** How to read the cells. */
  note: string;
}

function clientTable(rows: readonly ClientRow[]): Table {
  return { head: clientHead(rows[0] as ClientRow), rows: rows.map(clientCells), leftAligned: 1 };
}

/** The report as sections, in the order of the packages. */
export function toSections({
  rows,
  growth,
  heldBack,
  requests,
  clients,
  gateways,
  limit,
}: Report): Section[] {
  const { sdk, aiSdk, manyStreams } = clients;
  return [
    {
      title: 'The parser',
      about: PARSER,
      table: { head: ROW_HEAD, rows: rows.map(rowCells), leftAligned: 1 },
      note:
        'Times are per delta; `delta` is its length in UTF-16 units. A reading that took more than ' +
        `${limit / 1000} s was given up: its ratio counts only the time until then. ` +
        `Held back at most, ${heldBack.shape} in deltas of ${heldBack.deltaLength}: ${heldBack.units} UTF-16 units.`,
    },
    {
      title: 'The parser on long arguments',
      about:
        'One call with arguments of that size, and the ratio to half of it: the cost is linear where it is 2.',
      table: {
        head: ['delta', ...growth.megabytes.map((size) => `${size} MB`)],
        rows: growth.lengths.map(growthCells),
        leftAligned: 0,
      },
      note: 'Times are those of the whole reply.',
    },
    {
      title: 'Requests and prompts',
      about: REQUESTS,
      table: {
        head: ['work', ...requests.messages.map((length) => `${count(length)} messages`), '÷ JSON.stringify'],
        rows: requests.works.map(requestCells),
        leftAligned: 1,
      },
      note: 'One conversation of that length, the ratio to half of it, and to JSON.stringify of the longest.',
    },
    {
      title: 'The fetch, under the OpenAI SDK',
      about: SDK,
      table: clientTable(sdk),
      note:
        `Replies of ${count(sdk[0]?.chunks ?? 0)} chunks: the processor's time for one, and its ratio to the bare fetch. ` +
        formatManyStreams(manyStreams),
    },
    {
      title: 'The middleware, under the AI SDK',
      about: AI_SDK,
      table: clientTable(aiSdk),
      note: `Replies of ${count(aiSdk[0]?.chunks ?? 0)} chunks: the processor's time for one, and its ratio to the bare provider.`,
    },
    {
      title: 'The gateway',
      about: GATEWAY,
      table: { head: GATEWAY_HEAD, rows: gateways.map(gatewayCells), leftAligned: 2 },
      note: `Replies of ${GATEWAY_CHUNKS} chunks, 8 in a write: the first token of one at a time, and the chunks of many at once.`,
    },
  ];
}

/** One line for each aim: what was reached, and where it was missed. */
export function listAims({ rows, clients }: Report): string[] {
  const shares = rows.filter((row) => row.deltaLength === AIMS.jsonDeltaLength);
  const missed = shares.filter((row) => jsonShare(row) > AIMS.jsonShare);
  const ratios = rows
    .filter((row) => row.shape === AIMS.hermesShape)
    .map((row) => [row.deltaLength, row.timings.hermes as Timing] as const);
  const slow = ratios.filter(([, { ratio }]) => ratio < AIMS.hermesRatio);
  const verdict = (all: boolean) => (all ? 'met' : 'MISSED');
  const { sdk, aiSdk, manyStreams } = clients;
  const clientAim = (what: string, most: number, timed: readonly ClientRow[]) => {
    const reached = timed.map(
      (row) => [`${row.reply} by ${row.eventsPerWrite ?? 'all'}`, row.clients.at(-1)?.ratio as Cost] as const,
    );
    return (
      `${verdict(reached.every(([, { wall }]) => wall <= most))}: ${what} at most ${most} × the time` +
      reached
        .map(([name, { wall, cpu }]) => `; ${name}: ${wall.toFixed(2)} × (CPU ${cpu.toFixed(2)} ×)`)
        .join('')
    );
  };
  const isRaw = ({ reply }: ClientRow) => reply.startsWith('raw');
  return [
    `${verdict(missed.length === 0)}: at most ${percent(AIMS.jsonShare)} of JSON.parse in deltas of ${AIMS.jsonDeltaLength}` +
      missed.map((row) => `; ${row.shape}: ${percent(jsonShare(row))}`).join(''),
    `${verdict(slow.length === 0)}: ${AIMS.hermesShape} at least ${AIMS.hermesRatio} times faster than hermes` +
      ratios.map(([length, timing]) => `; ${length}: ${times(timing)}`).join(''),
    clientAim(
      'createKimiFetch, healthy,',
      AIMS.healthyFetch,
      sdk.filter((row) => !isRaw(row)),
    ),
    clientAim('createKimiFetch, raw,', AIMS.rawFetch, sdk.filter(isRaw)),
    clientAim('kimiMiddleware', AIMS.middleware, aiSdk),
    `${verdict(manyStreams.wrong === 0)}: ${manyStreams.streams} streams at once, each its own turn`,
  ];
}
