import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';

const bash = `
source "$1"
read -ra COMP_WORDS <<< "$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
compopt() { :; }
_annex
printf '%s\\n' "\${COMPREPLY[@]}"`;

const fish = `
source $argv[1]
complete -C $argv[2] | string replace -r '\\t.*' ''`;

/** zsh completes only in a terminal: another zsh runs in one, and prints what functions of completion add. */
const zsh = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2=; autoload -Uz compinit; compinit -u -D; source '$1'
compadd() {
  if [[ \\\${@[1,(i)(-|--)]} == *-(O|A|D)* ]]; then builtin compadd \\"\\$@\\"; return; fi
  local -a found; builtin compadd -O found \\"\\$@\\"; local one
  for one in \\$found; do print -r -- \\"<\\$one>\\"; done
}
report() { _main_complete; print -r -- '<>'; exit }
zle -C report complete-word report; bindkey '^I' report; print ready"
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -w -n shell "$2"$'\\t'
while zpty -r shell line; do
  [[ $line =~ '<(.*)>' ]] || continue
  [[ -z $match[1] ]] && break
  print -r -- "$match[1]"
done`;

const commands: Readonly<Record<string, [command: string, ...args: string[]]>> = {
  bash: ['bash', '--norc', '-c', bash, 'bash'],
  fish: ['fish', '--no-config', '-c', fish],
  zsh: ['zsh', '-f', '-c', zsh, 'zsh'],
};

/** Returns what a shell offers for a line, in alphabetical order, and what it prints to standard error. */
export function completionsOf(
  shell: string,
  script: string,
  line: string,
): [offered: string[], error: string] {
  using home = tempFolder();
  const file = join(home.path, 'annex');
  writeFileSync(file, script);
  const [command = '', ...args] = commands[shell] ?? [];
  const env = { PATH: process.env.PATH, HOME: home.path, XDG_CONFIG_HOME: home.path, TERM: 'dumb' };
  const { stderr, stdout } = spawnSync(command, [...args, file, line], {
    encoding: 'utf8',
    env,
    timeout: 60_000,
  });
  const offered = stdout.split('\n').filter((text) => text !== '');
  return [offered.toSorted(), stderr];
}
