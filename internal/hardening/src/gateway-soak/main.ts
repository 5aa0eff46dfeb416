// Streams through the gateway while the upstream resets, stalls, fails and sends rubbish:
//     pnpm --filter @kimi-tc/hardening soak:gateway [--streams 200] [--minutes 1]
import { parseArgs } from 'node:util';
import { soakGateway } from './soak.ts';

const { values } = parseArgs({
  options: { streams: { type: 'string', default: '200' }, minutes: { type: 'string', default: '1' } },
});
const streams = Number(values.streams);
const seconds = Number(values.minutes) * 60;
if (!(Number.isInteger(streams) && streams > 0 && seconds > 0 && seconds < Number.POSITIVE_INFINITY)) {
  throw new TypeError('expected numbers for --streams and --minutes');
}
const report = await soakGateway({ streams, seconds });

const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const { whole, failedOpenly, wrong, memory, left, exitCode, stderr } = report;
console.log(`${streams} streams at a time for ${seconds} s`);
console.log(`${whole} came whole, ${failedOpenly} failed and said so, ${wrong.length} were wrong`);
for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
console.log(`memory in use, quarter by quarter: ${memory.map(inMegabytes).join(', ')}`);
console.log(`left open: ${left}; exit code ${exitCode}; standard error output: ${stderr || 'nothing'}`);
if (wrong.length > 0 || left !== 0 || exitCode !== 0 || stderr !== '') process.exitCode = 1;
