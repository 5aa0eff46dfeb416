import { Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../terminal/usage-error.ts';
import { createLog, type Log } from './create-log.ts';
import { type GatewayOption, gatewayOptions } from './options.ts';
import { type GivenOption, readSettings } from './read-settings.ts';
import type { Settings } from './settings.ts';
import { type Gateway, startGateway } from './start-gateway.ts';

const EXAMPLES = `
Examples:
  $ kimi-tc --upstream http://localhost:8000/v1
      vLLM, SGLang or llama.cpp on this machine; point the client at http://127.0.0.1:4040/v1
  $ kimi-tc --upstream https://api.moonshot.ai/v1 --api-key-env MOONSHOT_API_KEY
      Moonshot's API, with the key kept here; clients may send any
  $ kimi-tc --upstream http://gpu:8000/v1 --transport completions --model k2.5
      a server whose chat endpoint is missing or broken: prompts are rendered here
  $ kimi-tc --config gateway.json --host 0.0.0.0 --gateway-keys-env KIMI_TC_KEYS
      several upstreams, for other machines, which need one of the keys in KIMI_TC_KEYS

Flags come before environment variables, and those before the configuration file.
Exit codes: 0 stopped by a signal, 2 could not run.
`;

/** `kimi-tc gateway`, which is also what `kimi-tc` does without a name. */
export function createGatewayCommand(): Command {
  const command = new Command('gateway')
    .summary('serve an OpenAI-compatible API in front of your servers')
    .description(
      'Serves an OpenAI-compatible API that makes Kimi K2 models right for any client: tool calls and reasoning that a ' +
        'server leaves in the text, ids, schemas, finish reasons. Every other model passes as it is.',
    )
    .allowExcessArguments(false)
    .addOption(new Option('-c, --config <file>', 'configuration file (JSON)').env('KIMI_TC_CONFIG'))
    .addHelpText('after', EXAMPLES);
  for (const option of gatewayOptions) command.addOption(toOption(option));
  return command.action(() => runGateway(command));
}

function toOption({ flags, help, env, list, read }: GatewayOption): Option {
  const option = new Option(flags, help).env(env);
  if (!flags.includes('<')) return option;
  return option.argParser((text: string, previous: unknown) => {
    if (text === '') throw new InvalidArgumentError('It is empty.');
    if (!list) return read(text);
    const earlier = Array.isArray(previous) ? previous : [];
    return [...earlier, ...text.split(',').map((one) => read(one.trim()))];
  });
}

/** The flags and variables that were given. */
function readGiven(command: Command): GivenOption[] {
  return gatewayOptions.flatMap(({ flags, env, path }): GivenOption[] => {
    const option = command.options.find((one) => one.flags === flags) as Option;
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (source !== 'cli' && source !== 'env') return [];
    return [
      { from: source === 'cli' ? (option.long as string) : env, path, value: command.getOptionValue(name) },
    ];
  });
}

async function runGateway(command: Command): Promise<void> {
  const settings = readSettings(readGiven(command), command.getOptionValue('config'), process.env);
  const log = createLog(settings.log, process.stdout);
  const gateway = await start(settings, log);
  log.info(
    { url: `${gateway.url}/v1`, upstreams: settings.upstreams.map(({ name }) => name) },
    'the gateway listens; this is the base URL for clients',
  );
  await waitForSignal(gateway, log);
}

async function start(settings: Settings, log: Log): Promise<Gateway> {
  try {
    return await startGateway(settings, log);
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    const { host, port } = settings.listen;
    throw new UsageError(
      path === undefined
        ? `cannot listen on ${host}, port ${port} (${code ?? message})`
        : `record: cannot make the folder ${path} (${code})`,
    );
  }
}

/** The first signal lets replies finish, the second ends at once. */
async function waitForSignal(gateway: Gateway, log: Log): Promise<void> {
  await new Promise<void>((resolve) => {
    const onSignal = (): void => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      // From here on a signal does what it does to any process, which is to end it.
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
  log.info('stopping; open replies may finish');
  await gateway.close();
  process.exit(0);
}
