import type { Command, Option } from 'commander';

/** What may be typed, as far as a shell has to know it. */
export interface CompletedProgram {
  readonly name: string;
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
}

export interface CompletedCommand {
  readonly name: string;
  readonly help: string;
  readonly options: readonly CompletedOption[];
  /** What stands behind the options. */
  readonly operand: CompletedValue | undefined;
}

export interface CompletedOption {
  /** As typed, dashes and all: `-V`, `--version`. */
  readonly names: readonly string[];
  readonly help: string;
  readonly value: CompletedValue | undefined;
}

/** The name of a file, one of some words, or any word. */
export interface CompletedValue {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'words' | 'any';
  readonly words: readonly string[];
}

/** Reads from a command line's own description what a shell needs to complete it. */
export function describeProgram(program: Command): CompletedProgram {
  const help = program.createHelp();
  return {
    name: program.name(),
    options: help.visibleOptions(program).map(describeOption),
    commands: help.visibleCommands(program).map((command) => {
      const [operand] = command.registeredArguments;
      return {
        name: command.name(),
        help: command.summary() || command.description(),
        options: help.visibleOptions(command).map(describeOption),
        operand: operand && toValue(operand.name(), operand.argChoices ?? []),
      };
    }),
  };
}

function describeOption(option: Option): CompletedOption {
  const { short, long, description, required, optional, argChoices, flags } = option;
  const [, name = ''] = /[<[]([^>\]]+)/.exec(flags) ?? [];
  return {
    names: [short, long].filter((one): one is string => typeof one === 'string'),
    help: description,
    value: required || optional ? toValue(name, argChoices ?? []) : undefined,
  };
}

function toValue(name: string, words: readonly string[]): CompletedValue {
  const kind = words.length > 0 ? 'words' : name === 'file' || name === 'folder' ? name : 'any';
  return { name, kind, words };
}
