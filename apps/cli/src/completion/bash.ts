import { shellQuoted } from '../shell-quoted.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

/** Returns the completion script for bash. It works without the package bash-completion. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = shellQuoted(commands.map(({ name }) => name).join(' '));
  return `# bash completion of annex; write eval "$(annex completion bash)" to ~/.bashrc
_annex() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" flags= words=
  COMPREPLY=()
  # An equals sign is a word of its own.
  case = in
    "$current") current= ;;
    "$previous") previous="\${COMP_WORDS[COMP_CWORD-2]}" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${names} -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${commands.flatMap(valueCases).join('')}  esac
  case "\${COMP_WORDS[1]}" in
${commands.map(flagCase).join('')}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *)
      if [ -z "$words" ]; then compopt -o default
      elif [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
      fi ;;
  esac
}
complete -F _annex annex
`;
}

const valueCases = ({ name, options }: CompletedCommand): string[] =>
  options.flatMap(({ choices, flag, value }) =>
    value === 'none'
      ? []
      : [`    ${shellQuoted(`${name} ${flag}`)}) ${valueReply({ choices, value })}; return ;;\n`],
  );

const valueReply = ({ choices, value }: Pick<CompletedOption, 'choices' | 'value'>): string =>
  choices.length > 0
    ? `COMPREPLY=($(compgen -W ${shellQuoted(choices.join(' '))} -- "$current"))`
    : value === 'path'
      ? 'compopt -o default'
      : ':';

function flagCase({ name, options, words }: CompletedCommand): string {
  const flags = shellQuoted(options.map(({ flag }) => flag).join(' '));
  const next = words.length > 0 ? ` words=${shellQuoted(words.join(' '))}` : '';
  return `    ${name}) flags=${flags}${next} ;;\n`;
}
