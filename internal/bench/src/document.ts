import { createRequire } from 'node:module';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { drawMarkdown } from './draw-table.ts';
import { listAims, type Report, toSections } from './report.ts';

const require = createRequire(import.meta.url);

/** What is compared with, or measured under. */
const HOSTS = ['openai', 'ai', '@ai-sdk/openai-compatible', '@ai-sdk-tool/parser', '@portkey-ai/gateway'];

function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (require(`${folder}/${name}/package.json`) as { version: string }).version;
    } catch {
      // not in this folder
    }
  }
  throw new Error(`${name} is not installed`);
}

/** Where and with what the figures were made. @param load of the machine, before */
function describeMachine(load: number): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const rows = [
    ['date', new Date().toISOString().slice(0, 10)],
    ['processor', `${cpu?.model.trim()}, ${cpus().length} cores`],
    ['memory', `${memory} GiB`],
    ['system', `${type()} ${release()}`],
    ['Node.js', process.version],
    ...HOSTS.map((name) => [`\`${name}\``, versionOf(name)]),
    ['load before, and at the end', `${load.toFixed(1)}, ${(loadavg()[0] ?? 0).toFixed(1)}`],
  ];
  return drawMarkdown({ head: ['', ''], rows, leftAligned: 2 });
}

/** The report as a document. @param load of the machine before the measuring */
export function formatDocument(report: Report, load: number): string {
  const sections = toSections(report).map(
    ({ title, about, table, note }) => `## ${title}\n\n${about}\n\n${drawMarkdown(table)}\n\n${note}`,
  );
  return [
    '# Benchmarks',
    'Written by `pnpm bench --document docs/benchmarks.md`; nothing here is edited by hand. Trust ratios, which come from one run, more ' +
      'than times, which are those of one machine.',
    describeMachine(load),
    '## Aims',
    listAims(report)
      .map((aim) => `- ${aim}`)
      .join('\n'),
    ...sections,
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');
}
