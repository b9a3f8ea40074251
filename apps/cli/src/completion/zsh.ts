import { shellQuoted } from '../shell-quoted.ts';
import type { CompletedCommand, CompletedOption } from './completed-command.ts';

/** Returns the completion script for zsh. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ help, name }) => `    ${shellQuoted(`${name}:${help}`)}\n`);
  return `#compdef annex
# zsh completion of annex; write eval "$(annex completion zsh)" to ~/.zshrc, after compinit
_annex() {
  local -a commands=(
${described.join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${commands.map(argumentsCase).join('')}  esac
}
compdef _annex annex
`;
}

function argumentsCase({ name, options, words }: CompletedCommand): string {
  const next = words.length > 0 ? `1:what:(${words.join(' ')})` : '*:file:_files';
  return `    ${name}) _arguments ${[...options.map(specification), next].map(shellQuoted).join(' ')} ;;\n`;
}

/** `--log-level=[The lowest level]:value:(debug info)`: both notations, with `=` and as the next word. */
function specification({ choices, flag, help, value }: CompletedOption): string {
  const description = `[${help.replaceAll(/[[\]\\:]/g, '\\$&')}]`;
  if (value === 'none') return flag + description;
  const values = choices.length > 0 ? `(${choices.join(' ')})` : value === 'path' ? '_files' : ' ';
  return `${flag}=${description}:value:${values}`;
}
