import { Command, InvalidArgumentError, Option } from 'commander';
import { checkNode } from '../version.ts';
import { type GatewayOption, gatewayOptions } from './options.ts';
import type { GivenOption } from './read-settings.ts';

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
        'server leaves in the text, ids, schemas, finish reasons. Requests for other models pass as they are; replies of ' +
        'every model are read for the tokens of Kimi, as a server may call it by any name.',
    )
    .allowExcessArguments(false)
    .addOption(new Option('-c, --config <file>', 'configuration file (JSON)').env('KIMI_TC_CONFIG'))
    .addHelpText('after', EXAMPLES);
  for (const option of gatewayOptions) command.addOption(toOption(option));
  return command.action(async () => {
    // What it stands on fails without a word on older ones.
    checkNode();
    // Only now: a server is much to load for the other commands.
    const { runGateway } = await import('./run-gateway.ts');
    await runGateway(readGiven(command), command.getOptionValue('config'));
  });
}

function toOption({ flags, help, env, list, read, words }: GatewayOption): Option {
  const option = new Option(flags, help).env(env);
  if (words) option.choices(words);
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
  return gatewayOptions.flatMap(({ flags, env, path, read }): GivenOption[] => {
    const option = command.options.find((one) => one.flags === flags) as Option;
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (source === 'cli') return [{ from: option.long as string, path, value: command.getOptionValue(name) }];
    if (source !== 'env') return [];
    // To commander a switch is on by any text, `0` too.
    const value = option.isBoolean() ? read(process.env[env] ?? '') : command.getOptionValue(name);
    return [{ from: env, path, value }];
  });
}
