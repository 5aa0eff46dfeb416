import Table from 'cli-table3';
import type { Paint, Style } from '../terminal/paint.ts';
import type { Report, ReportedFinding, ReportedProbe } from './run-doctor.ts';

/** Columns that a table takes where the width of the terminal is not known. */
const USUAL_WIDTH = 100;

/** The report for people. */
export function printReport(report: Report, paint: Paint, width: number = USUAL_WIDTH): string {
  const { baseUrl, model, family, findings, probes, requests } = report;
  const faults = findings.filter(({ level }) => level === 'fault').length;
  const notes = findings.length - faults;
  const verdict = faults > 0 ? paint('red', count(faults, 'fault')) : paint('green', 'healthy: no faults');
  return [
    `${paint('bold', model)} at ${baseUrl}\n`,
    findings.length > 0 ? `${drawFindings(findings, paint, width)}\n` : '',
    drawProbes(probes, paint),
    `\n${verdict}${notes > 0 ? `, ${count(notes, 'note')}` : ''} in ${count(requests, 'request')}.\n`,
    findings.some(({ mendedIn }) => mendedIn !== 'nothing') ? howToMend : '',
    family === 'unknown'
      ? 'The model id names no Kimi model that kimi-tc knows: tell it by the option `model` (--model), e.g. kimi-k2.5.\n'
      : '',
  ].join('');
}

const howToMend = `
What is mended in replies and requests is so by each of
  the gateway             kimi-tc --upstream URL
  any client's fetch      createKimiFetch() of @kimi-tc/openai
  the Vercel AI SDK       createKimi() of @kimi-tc/ai-sdk
  LangChain.js            new ChatKimi() of @kimi-tc/langchain
`;

function drawFindings(findings: readonly ReportedFinding[], paint: Paint, width: number): string {
  // What stands between and around three columns takes ten places.
  const rest = Math.max(40, Math.min(width, 160) - 10 - 26);
  const saw = Math.round(rest * 0.55);
  const table = new Table({
    head: ['', 'what the endpoint does', 'what mends it'].map((text) => paint('bold', text)),
    colWidths: [28, saw + 2, rest - saw + 2],
    wordWrap: true,
    wrapOnWordBoundary: true,
    style: { head: [], border: [] },
  });
  const styles: Readonly<Record<ReportedFinding['level'], Style>> = { fault: 'red', note: 'yellow' };
  for (const { code, level, title, detail, seenBy, fix } of findings) {
    const shown = detail === '' ? '' : `\n${paint('dim', detail)}`;
    table.push([
      `${paint(styles[level], level)}\n${code.replace(/(.{26})/g, '$1\n')}`,
      `${title}${shown}\n${paint('dim', `seen by ${seenBy.join(', ')}`)}`,
      fix,
    ]);
  }
  return table.toString();
}

function drawProbes(probes: readonly ReportedProbe[], paint: Paint): string {
  const styles: Readonly<Record<ReportedProbe['outcome'], Style>> = {
    passed: 'green',
    faults: 'red',
    notes: 'yellow',
    inconclusive: 'yellow',
    skipped: 'dim',
  };
  const longest = Math.max(...probes.map(({ name }) => name.length));
  return probes
    .map(({ name, asks, outcome, reason }) => {
      const word = paint(styles[outcome], outcome.padEnd(12));
      return `${word} ${name.padEnd(longest)}  ${asks}${reason === undefined ? '' : paint('dim', ` (${reason})`)}\n`;
    })
    .join('');
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
