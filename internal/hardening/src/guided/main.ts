// Looks for replies that break a law, guided by which branches of the parser each one reaches:
//     pnpm --filter @kimi-tc/hardening fuzz:guided [--minutes 15] [--runs N]
// Needs Linux with glibc 2.38 or newer, or macOS. Starts from the corpus, and keeps what it learns for the next time. What breaks a law is shown as a corpus case.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ToolDefinition } from '@kimi-tc/core';
import { loadCases } from '@kimi-tc/testing';
import { type BuildOptions, build } from 'esbuild';
import { minimize } from '../fuzz/minimize.ts';
import { toCase } from '../fuzz/to-case.ts';
import { toReply } from '../laws/corpus-replies.ts';
import { checkLaws } from '../laws/laws.ts';
import { joinPieces, type Reply } from '../laws/reply.ts';
import { fromBytes, toBytes } from './reply-bytes.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, runs: { type: 'string', default: '-1' } },
});

/** What the engine of Jazzer.js is linked against. */
const LOWEST_GLIBC = [2, 38] as const;
const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
const glibc = header.glibcVersionRuntime?.split('.').map(Number);
if (glibc && ((glibc[0] ?? 0) - LOWEST_GLIBC[0] || (glibc[1] ?? 0) - LOWEST_GLIBC[1]) < 0) {
  throw new Error(
    `expected glibc ${LOWEST_GLIBC.join('.')} or newer for Jazzer.js, found ${glibc.join('.')}`,
  );
}

const folder = new URL('../../node_modules/.cache/fuzz/', import.meta.url);
const path = (name: string) => fileURLToPath(new URL(name, folder));
const source = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** One tool for each name of the corpus. */
const cases = loadCases({ kinds: ['deltas', 'chunks', 'message'] });
const byName = new Map(
  cases
    .flatMap(({ tools }) => (tools ?? []) as unknown as ToolDefinition[])
    .map((tool) => [tool.function.name, tool]),
);
const tools = [...byName.values()];

rmSync(path('crashes'), { recursive: true, force: true });
for (const name of ['build', 'seeds', 'learned', 'crashes']) mkdirSync(path(name), { recursive: true });

const core = fileURLToPath(import.meta.resolve('@kimi-tc/core'));
const settings: BuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  conditions: ['@kimi-tc/source'],
};
await build({ ...settings, entryPoints: [core], outfile: path('build/core.mjs') });
await build({
  ...settings,
  entryPoints: [source('target.ts')],
  outfile: path('build/target.mjs'),
  alias: { '@kimi-tc/core': './core.mjs' },
  external: ['./core.mjs'],
});

for (const of of cases) {
  const reply = toReply(of);
  if (!reply) continue;
  const bytes = toBytes(reply);
  if (bytes.length < 2000)
    writeFileSync(path(`seeds/${createHash('sha1').update(bytes).digest('hex')}`), bytes);
}
writeFileSync(path('tools.json'), JSON.stringify(tools));
writeFileSync(path('markup.dict'), toDictionary([...byName.keys()]));

const { status } = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('cli.js', import.meta.resolve('@jazzer.js/core'))),
    path('build/target.mjs'),
    path('learned'),
    path('seeds'),
    '--sync',
    '--includes=core.mjs',
    '--disableBugDetectors=.*',
    '--',
    `-max_total_time=${Math.round(Number(values.minutes) * 60)}`,
    `-runs=${values.runs}`,
    `-dict=${path('markup.dict')}`,
    `-artifact_prefix=${path('crashes/')}`,
    '-max_len=1200',
    '-print_final_stats=1',
  ],
  { stdio: 'inherit', env: { ...process.env, KIMI_FUZZ_TOOLS: path('tools.json') } },
);
for (const name of readdirSync(path('crashes'))) report(readFileSync(path(`crashes/${name}`)));
process.exitCode = status ?? 1;

/** Markup and what stands around it, so that it need not be found letter by letter. */
function toDictionary(names: readonly string[]): string {
  const sections = ['tool_calls_section_begin', 'tool_calls_section_end', 'tool_call_section_begin'];
  const calls = ['tool_call_begin', 'tool_call_end', 'tool_call_argument_begin', 'im_end'];
  const words = [
    ...[...sections, ...calls].flatMap((name) => [`<|${name}|>`, `<| ${name} |>`]),
    ...[
      '<think>',
      '</think>',
      '[EOS]',
      'functions.',
      ':0',
      '```',
      '{"',
      '"}',
      '{}',
      '\\"',
      'null',
      ': ',
      ', ',
    ],
    ...['\x01', '\x02', '\x030\x05c\x05', '\x05', '\x04', '<invoke name="', '<parameter name="', '</invoke>'],
    ...names.slice(0, 40).map((name) => `functions.${name}:0`),
  ];
  const escapeBytes = (word: string) =>
    [...Buffer.from(word)]
      .map((byte) =>
        byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
          ? `\\x${byte.toString(16).padStart(2, '0')}`
          : String.fromCharCode(byte),
      )
      .join('');
  return `${words.map((word) => `"${escapeBytes(word)}"`).join('\n')}\n`;
}

function nameOfBroken(reply: Reply, size: number): string | undefined {
  try {
    checkLaws(reply, [size]);
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0];
  }
}

function report(bytes: Uint8Array): void {
  const { size, ...reply } = fromBytes(bytes, tools);
  const joined = { ...reply, pieces: joinPieces(reply.pieces) };
  const name = nameOfBroken(joined, size);
  console.log(`BROKEN, cut into ${size}: ${name}`);
  console.log(
    JSON.stringify(toCase(minimize(joined, (smaller) => nameOfBroken(smaller, size) === name)), null, 2),
  );
}
