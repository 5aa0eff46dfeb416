import { Command, InvalidArgumentError } from 'commander';
import { BASE_URL, isBaseUrl, trimBaseUrl } from '../base-url.ts';
import { readKey } from '../read-key.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createPaint } from '../terminal/paint.ts';
import { createProgress } from '../terminal/progress.ts';
import { showSecret } from '../terminal/shown.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { writeText } from '../terminal/write-text.ts';
import { printReport } from './print-report.ts';
import { probes } from './probes/all.ts';
import { runDoctor } from './run-doctor.ts';

interface Flags {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
  readonly model?: string;
  readonly timeout: number;
  readonly slow: number;
  readonly parallel: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  What is wrong with the server on this machine?
    $ kimi-tc doctor --base-url http://localhost:8000/v1

  A hosted model; the key stays in the environment:
    $ kimi-tc doctor --base-url https://api.moonshot.ai/v1 --api-key-env MOONSHOT_API_KEY --model kimi-k2.6

  The codes of all faults, for a script:
    $ kimi-tc doctor --base-url $URL --json | jq -r '.findings[] | select(.level == "fault").code'

  Is the gateway in front of it healthy?
    $ kimi-tc --upstream http://localhost:8000/v1 & kimi-tc doctor --base-url http://127.0.0.1:4040/v1

It sends about twenty-five small requests. A model that chooses not to call a tool makes a question inconclusive,
never a fault; ask again. The README tells what each code means.

Exit codes: 0 no faults (notes at most); 1 faults; 2 the endpoint could not be asked.`;

/** `kimi-tc doctor`: what is wrong with an endpoint, and what mends it. */
export function createDoctorCommand(): Command {
  return new Command('doctor')
    .summary('ask an endpoint, and tell what is wrong with it and what mends it')
    .description(
      'Talks to an OpenAI-compatible endpoint that serves a Kimi model, and says what is wrong: leaked tokens, ids, finish reasons, streams, histories, rules. For each fault it names what mends it.',
    )
    .requiredOption('--base-url <url>', "the endpoint's base URL, as clients are given it", readUrl)
    .option('--api-key-env <name>', 'environment variable that holds the key')
    .option('--model <id>', 'model to ask; default: the Kimi model that the endpoint lists')
    .option('--timeout <seconds>', 'longest wait for one reply', readPositive, 120)
    .option('--slow <ms>', 'a first byte that comes later is told', readPositive, 10_000)
    .option('--parallel <number>', 'questions asked at once', readCount, 2)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => {
      process.exitCode = await examine(flags);
    });
}

async function examine(flags: Flags): Promise<number> {
  const { baseUrl, apiKeyEnv, model, timeout, slow, parallel, json } = flags;
  const progress = createProgress(probes.length, false);
  const report = await runDoctor({
    baseUrl,
    apiKey: apiKeyEnv === undefined ? undefined : readKey(apiKeyEnv, '--api-key-env', process.env),
    model,
    timeoutMs: timeout * 1000,
    retryMs: 1000,
    slowMs: slow,
    parallel,
    onProgress: (done, _, name) => progress.update(done, name),
  }).finally(() => progress.stop());
  const text = json
    ? `${JSON.stringify(report, null, 2)}\n`
    : printReport(report, createPaint(process.stdout), process.stdout.columns);
  await writeText(process.stdout, text);
  return report.healthy ? exitCodes.done : exitCodes.faultsFound;
}

function readUrl(text: string): string {
  // Commander would show what was given beside its own error.
  if (!isBaseUrl(text)) throw new UsageError(`--base-url: expected ${BASE_URL}, found ${showSecret(text)}`);
  return trimBaseUrl(text);
}

/** Seconds that a timer can wait. */
const LONGEST_WAIT = Math.floor(2 ** 31 / 1000);

function readPositive(text: string): number {
  const number = Number(text);
  if (!(number > 0 && number <= LONGEST_WAIT))
    throw new InvalidArgumentError(`Expected a number above 0, up to ${LONGEST_WAIT}.`);
  return number;
}

function readCount(text: string): number {
  const number = Number(text);
  if (!(Number.isInteger(number) && number >= 1 && number <= 32)) {
    throw new InvalidArgumentError('Expected a whole number from 1 to 32.');
  }
  return number;
}
