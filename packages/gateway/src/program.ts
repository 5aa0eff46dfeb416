import { Command } from 'commander';
import { createCompletionCommand } from './completion/command.ts';
import { createDoctorCommand } from './doctor/command.ts';
import { createGatewayCommand } from './gateway/command.ts';
import { createParseCommand } from './parse/command.ts';
import { createRenderCommand } from './render/command.ts';
import { hideArguments } from './terminal/shown.ts';
import { readVersion } from './version.ts';

const examples = `
Examples:
  Make a server right for any client of the OpenAI API:
    $ kimi-tc --upstream http://localhost:8000/v1

  What is wrong with a server, and what mends it?
    $ kimi-tc doctor --base-url http://localhost:8000/v1

  What did the model say in this raw text?
    $ kimi-tc parse reply.txt

Exit codes: 0 done; 1 done, and something wrong was found; 2 the command could not run.`;

/** The command that is meant where options come first: `kimi-tc --upstream URL`. */
const IMPLIED = 'gateway';

/** The `kimi-tc` command with all its commands. Throws commander's errors instead of leaving the process. */
export function createProgram(): Command {
  const program = new Command('kimi-tc')
    .description(
      'Kimi K2 for any client and any server. Without a command, `kimi-tc --upstream URL` runs the gateway.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help; that of a command has examples')
    .helpCommand(false)
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(hideArguments(message)) })
    .addHelpText('after', examples);
  const commands = [
    createGatewayCommand(),
    createDoctorCommand(),
    createParseCommand(),
    createRenderCommand(),
    createCompletionCommand(program, IMPLIED),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  program.hook('preAction', (_, command) => refuseEmpty(command));
  return program;
}

/** Of an option that is empty, as a shell makes it of a variable that is not set, nobody knows what was meant. */
function refuseEmpty(command: Command): void {
  const empty = command.options.find((option) => command.getOptionValue(option.attributeName()) === '');
  if (empty) command.error(`error: option '${empty.flags}' is empty`);
}

/**
 * The arguments with the command that is meant: that of the first option, or of nothing at all where the
 * environment says what to serve, as in a container.
 */
export function nameCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const [first] = args;
  if (first === undefined) return env.KIMI_TC_UPSTREAM || env.KIMI_TC_CONFIG ? [IMPLIED] : args;
  const ofProgram = ['-h', '--help', '-V', '--version'].includes(first);
  return first.startsWith('-') && !ofProgram ? [IMPLIED, ...args] : args;
}
