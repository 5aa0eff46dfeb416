// Times the parser against other ways to read the same stream, requests and prompts against JSON.stringify,
// clients with the packages against the same clients without, and the gateway against none and another:
//     pnpm bench [--quick] [--document FILE] [--json FILE]
// --quick takes fewer rounds and leaves out what takes longest.
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { FULL_CLIENTS, QUICK_CLIENTS } from './client-times.ts';
import { measureClientsApart } from './clients-apart.ts';
import { createReadings } from './contenders.ts';
import { formatDocument } from './document.ts';
import { drawPlain } from './draw-table.ts';
import { createFixtures, DELTA_LENGTHS, type Fixture } from './fixtures.ts';
import { FULL_GATEWAYS, measureGateways, QUICK_GATEWAYS } from './gateways.ts';
import { measureHeldBack } from './held-back.ts';
import { measureGrowth } from './linearity.ts';
import { measureManyStreams, STREAMS } from './many-streams.ts';
import { compare, FULL, QUICK } from './measure.ts';
import { AIMS, listAims, type Report, type Row, toSections } from './report.ts';
import { measureRequests, REQUEST_MESSAGES } from './requests.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    document: { type: 'string' },
    json: { type: 'string' },
  },
});
if (values.quick && values.document !== undefined)
  throw new Error('--document needs the full run, without --quick');
const effort = values.quick ? QUICK : FULL;
const clientEffort = values.quick ? QUICK_CLIENTS : FULL_CLIENTS;
const megabytes = values.quick ? [1, 2] : [1, 2, 4, 8];

/** Paths are those of whoever asked: pnpm starts scripts in the package's folder. */
const fromHere = (path: string) => resolve(process.env.INIT_CWD ?? '.', path);

const load = loadavg()[0] ?? 0;

const progress = (text: string) => process.stderr.write(`${text}\n`);

async function timeRow(fixture: Fixture, deltaLength: number): Promise<Row> {
  progress(`${fixture.name}, deltas of ${deltaLength}`);
  const readings = createReadings(fixture, deltaLength);
  const timings = await compare(readings, effort);
  return {
    shape: fixture.name,
    deltaLength,
    deltas: readings.get('parser')?.deltas ?? 0,
    timings: Object.fromEntries(timings),
  };
}

const fixtures = createFixtures().filter((fixture) => !values.quick || fixture.text.length < 500_000);
const rows: Row[] = [];
for (const fixture of fixtures) {
  for (const deltaLength of DELTA_LENGTHS) rows.push(await timeRow(fixture, deltaLength));
}
progress(`arguments of ${megabytes.join(', ')} MB`);
const lengths = measureGrowth(megabytes, Math.min(effort.rounds, 5));
progress(`conversations of ${REQUEST_MESSAGES.join(', ')} messages`);
const works = await measureRequests(REQUEST_MESSAGES, effort);
progress(`${STREAMS} streams at once`);
const manyStreams = await measureManyStreams(STREAMS);
progress('the OpenAI SDK');
const sdk = await measureClientsApart('measureSdk', clientEffort);
progress('the AI SDK');
const aiSdk = await measureClientsApart('measureAiSdk', clientEffort);
progress('gateways');
const gateways = await measureGateways(values.quick ? QUICK_GATEWAYS : FULL_GATEWAYS);
const held = fixtures.find((fixture) => fixture.name === AIMS.hermesShape) as Fixture;

const report: Report = {
  node: process.version,
  limit: effort.limit,
  rows,
  growth: { megabytes, lengths },
  heldBack: { shape: held.name, deltaLength: 4, units: measureHeldBack(held, 4) },
  requests: { messages: [...REQUEST_MESSAGES], works },
  clients: { sdk, aiSdk, manyStreams },
  gateways,
};
for (const { title, table, note } of toSections(report)) {
  process.stdout.write(`${title}\n\n${drawPlain(table)}\n\n${note}\n\n\n`);
}
process.stdout.write(`${listAims(report).join('\n')}\n`);
if (values.quick)
  process.stdout.write(
    'A few rounds stray by a tenth: only a run without --quick tells whether a close aim is met.\n',
  );
if (values.document !== undefined) writeFileSync(fromHere(values.document), formatDocument(report, load));
if (values.json !== undefined) writeFileSync(fromHere(values.json), `${JSON.stringify(report, null, 2)}\n`);
