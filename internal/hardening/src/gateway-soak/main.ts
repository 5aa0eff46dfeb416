// Streams through the gateway for a minute while the upstream resets, stalls, fails and sends rubbish:
//     node --conditions=@kimi-tc/source src/gateway-soak/main.ts [STREAMS] [SECONDS]
import { soakGateway } from './soak.ts';

const [streams = 200, seconds = 60] = process.argv.slice(2).map(Number);
const report = await soakGateway({ streams, seconds });

const inMegabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const { whole, failedOpenly, wrong, memory, left, exitCode, stderr } = report;
console.log(`${streams} streams at a time for ${seconds} s`);
console.log(`${whole} came whole, ${failedOpenly} failed and said so, ${wrong.length} were wrong`);
for (const line of wrong.slice(0, 10)) console.log(`  ${line}`);
console.log(`memory in use, quarter by quarter: ${memory.map(inMegabytes).join(', ')}`);
console.log(`left open: ${left}; exit code ${exitCode}; standard error output: ${stderr || 'nothing'}`);
if (wrong.length > 0 || left !== 0 || exitCode !== 0 || stderr !== '') process.exitCode = 1;
