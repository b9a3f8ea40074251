import { type AnyRow, flagsOf } from '@annex/runtime';
import type { Command } from '../command.ts';

/** What a shell completes of a command. */
export interface CompletedCommand {
  name: string;
  help: string;
  /** The words that may follow; others are files. */
  words: readonly string[];
  options: readonly CompletedOption[];
}

/** What a shell completes of an option. */
export interface CompletedOption {
  /** With dashes. */
  flag: string;
  help: string;
  value: 'none' | 'path' | 'other';
  choices: readonly string[];
}

const helpOption: CompletedOption = {
  flag: '--help',
  help: 'Print the options.',
  value: 'none',
  choices: [],
};

/** Reads the tables of all commands. */
export const completedCommands = (commands: ReadonlyMap<string, Command>): Promise<CompletedCommand[]> =>
  Promise.all(
    [...commands].map(async ([name, { help, options, words = [] }]) => {
      const rows = Object.values((await options?.()) ?? {});
      const described = rows.flatMap((row) => flagsOf(row).map((flag) => completedOption(flag, row)));
      return { name, help, words, options: [...described, helpOption] };
    }),
  );

function completedOption(flag: string, { choices = [], help, type }: AnyRow): CompletedOption {
  const value = type === 'bool' ? 'none' : type === 'path' ? 'path' : 'other';
  return { flag: `--${flag}`, help: help.split(/[.;:] /)[0]?.replace(/\.$/, '') ?? '', value, choices };
}
