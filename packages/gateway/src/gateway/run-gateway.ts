import { UsageError } from '../terminal/usage-error.ts';
import { createLog, type Log } from './create-log.ts';
import { type GivenOption, readSettings } from './read-settings.ts';
import type { Settings } from './settings.ts';
import { type Gateway, startGateway } from './start-gateway.ts';

/**
 * Runs the gateway until a signal ends it.
 *
 * @param given flags and variables
 * @param config path of the configuration file, if there is one
 * @throws UsageError if a setting is wrong, or the address is taken
 */
export async function runGateway(given: readonly GivenOption[], config: string | undefined): Promise<void> {
  const settings = readSettings(given, config, process.env);
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
