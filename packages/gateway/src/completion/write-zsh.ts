import type {
  CompletedCommand,
  CompletedOption,
  CompletedProgram,
  CompletedValue,
} from './completed-program.ts';

/** @param implied the command that is meant where options come first */
export function writeZsh({ name, options, commands }: CompletedProgram, implied: string): string {
  const start = commands.find((command) => command.name === implied);
  return `# Completion of ${name} for zsh, behind compinit: source <(${name} completion zsh)
_kimi_tc() {
  local -a commands=(
${commands.map((command) => `    ${quote(`${command.name}:${command.help}`)}`).join('\n')}
  )
  if [[ $words[2] == -* ]]; then
    _arguments ${[...options, ...(start?.options ?? [])].map(writeOption).join(' \\\n      ')}
    return
  fi
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${commands.map(writeCommand).join('\n')}
  esac
}
compdef _kimi_tc ${name}
`;
}

function writeCommand({ name, options, operand }: CompletedCommand): string {
  const specs = [...options.map(writeOption), ...(operand ? [quote(`1${writeValue(operand)}`)] : [])];
  return `    ${name})\n      _arguments ${specs.join(' \\\n        ')} ;;`;
}

/** With a star in front an option is offered again: some may be given several times. */
function writeOption({ names, help, value }: CompletedOption): string {
  const tail = `[${help.replace(/[[\]\\]/g, '\\$&')}]${value ? writeValue(value) : ''}`;
  if (names.length === 1) return quote(`${value ? '*' : ''}${names[0]}${tail}`);
  return `${quote(value ? '*' : `(${names.join(' ')})`)}{${names.join(',')}}${quote(tail)}`;
}

function writeValue({ name, kind, words }: CompletedValue): string {
  const actions = { file: '_files', folder: '_files -/', words: `(${words.join(' ')})`, any: ' ' };
  return `:${name.replaceAll(':', '\\:')}:${actions[kind]}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
