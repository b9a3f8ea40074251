import { shellQuoted } from '../shell-quoted.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

/** Returns the completion script for fish. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(
    ({ help, name }) => `complete -c annex -f -n __fish_use_subcommand -a ${name} -d ${shellQuoted(help)}\n`,
  );
  const options = commands.flatMap(({ name, options: all }) => all.map((option) => optionLine(name, option)));
  return `# fish completion of annex; write the output to ~/.config/fish/completions/annex.fish
${names.join('')}${commands.map(wordsLine).join('')}${options.join('')}`;
}

const wordsLine = ({ name, words }: CompletedCommand): string =>
  words.length === 0
    ? ''
    : `complete -c annex -f -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${words.join(' ')}' -a ${shellQuoted(words.join(' '))}\n`;

function optionLine(command: string, { choices, flag, help, value }: CompletedOption): string {
  const values =
    choices.length > 0
      ? ` -x -a ${shellQuoted(choices.join(' '))}`
      : value === 'path'
        ? ' -r -F'
        : value === 'other'
          ? ' -x'
          : ' -f';
  return `complete -c annex -n '__fish_seen_subcommand_from ${command}' -l ${flag.slice(2)}${values} -d ${shellQuoted(help)}\n`;
}
