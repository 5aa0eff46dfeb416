import type { CompletedOption, CompletedProgram, CompletedValue } from './completed-program.ts';

/**
 * A script for bash 3.2 and later, without the package bash-completion. Names of files are left to bash:
 * it completes them where the function finds nothing.
 *
 * @param implied the command that is meant where options come first
 */
export function writeBash({ name, options, commands }: CompletedProgram, implied: string): string {
  const names = commands.map((command) => command.name);
  const start = commands.find((command) => command.name === implied);
  const first = [...options, ...(start?.options ?? [])];
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_kimi_tc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command='' word
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case $word in
      ${names.join(' | ')}) command=$word ;;
      *) command=${implied} ;;
    esac
    break
  done
  COMPREPLY=()
  case $command,$prev in
${commands.flatMap((command) => command.options.flatMap((option) => writeValue(command.name, option))).join('\n')}
  esac
  case $command,$cur in
    ,-*) ${reply(namesOf(first))} ;;
    ,*) ${reply(names)} ;;
${commands
  .map(
    (command) =>
      `    ${command.name},-*) ${reply(namesOf(command.options))} ;;${writeOperand(command.name, command.operand)}`,
  )
  .join('\n')}
  esac
}
complete -o default -F _kimi_tc ${name}
`;
}

function writeValue(command: string, { names, value }: CompletedOption): string[] {
  if (!value) return [];
  const patterns = names.map((name) => `${command},${name}`).join(' | ');
  return [`    ${patterns}) ${writeAnswer(value)}; return ;;`];
}

function writeOperand(command: string, operand: CompletedValue | undefined): string {
  return `\n    ${command},*) ${operand ? writeAnswer(operand) : noFiles} ;;`;
}

function writeAnswer({ kind, words }: CompletedValue): string {
  if (kind === 'words') return reply(words);
  return kind === 'any' ? noFiles : ':';
}

/** Switches off what \`-o default\` does; bash 3.2 does not know how. */
const noFiles = 'compopt +o default 2> /dev/null';

function reply(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`;
}

function namesOf(options: readonly CompletedOption[]): string[] {
  return [...new Set(options.flatMap(({ names }) => names))];
}
