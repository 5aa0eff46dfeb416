import type {
  CompletedCommand,
  CompletedOption,
  CompletedProgram,
  CompletedValue,
} from './completed-program.ts';

/** @param implied the command that is meant where options come first */
export function writeFish({ name, options, commands }: CompletedProgram, implied: string): string {
  const others = commands.map((command) => command.name).filter((one) => one !== implied);
  const complete = (condition: string, rest: string): string =>
    `complete -c ${name} -n ${quote(condition)} ${rest}`;
  const lines = commands.flatMap((command) => {
    const condition =
      command.name === implied
        ? `not __fish_seen_subcommand_from ${others.join(' ')}`
        : `__fish_seen_subcommand_from ${command.name}`;
    return [
      complete('__fish_use_subcommand', `-a ${command.name} -d ${quote(command.help)}`),
      ...command.options.map((option) => complete(condition, writeOption(option))),
      ...writeOperand(command).map((operand) => complete(condition, operand)),
    ];
  });
  return `# Completion of ${name} for fish: ${name} completion fish | source
complete -c ${name} -f
${options.map((option) => complete('__fish_use_subcommand', writeOption(option))).join('\n')}
${lines.join('\n')}
`;
}

function writeOption({ names, help, value }: CompletedOption): string {
  const spelt = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...spelt, ...(value ? writeValue(value) : []), `-d ${quote(help)}`].join(' ');
}

function writeValue({ kind, words }: CompletedValue): string[] {
  if (kind === 'file' || kind === 'folder') return ['-r', '-F'];
  return kind === 'words' ? ['-x', `-a ${quote(words.join(' '))}`] : ['-x'];
}

function writeOperand({ operand }: CompletedCommand): string[] {
  if (operand?.kind === 'words') return [`-a ${quote(operand.words.join(' '))}`];
  return operand?.kind === 'file' ? ['-F'] : [];
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
