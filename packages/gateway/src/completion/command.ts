import { Argument, Command } from 'commander';
import { writeText } from '../terminal/write-text.ts';
import { type CompletedProgram, describeProgram } from './completed-program.ts';
import { writeBash } from './write-bash.ts';
import { writeFish } from './write-fish.ts';
import { writeZsh } from './write-zsh.ts';

const shells: Readonly<Record<string, (program: CompletedProgram, implied: string) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

const examples = `
Examples:
  For this shell, until it ends:
    $ source <(kimi-tc completion bash)
    % source <(kimi-tc completion zsh)
    > kimi-tc completion fish | source

  For good:
    $ kimi-tc completion bash > ~/.local/share/bash-completion/completions/kimi-tc
    % echo 'source <(kimi-tc completion zsh)' >> ~/.zshrc
    > kimi-tc completion fish > ~/.config/fish/completions/kimi-tc.fish`;

/**
 * `kimi-tc completion`: a script that lets a shell complete commands, options and their values.
 *
 * @param implied the command that is meant where options come first
 */
export function createCompletionCommand(program: Command, implied: string): Command {
  return new Command('completion')
    .summary('a script that lets your shell complete commands and options')
    .description(
      'Prints a script that lets a shell complete commands, options, their values, and names of files.',
    )
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(shells)))
    .addHelpText('after', examples)
    .action(async (shell: string) => {
      await writeText(process.stdout, shells[shell]?.(describeProgram(program), implied) ?? '');
    });
}
