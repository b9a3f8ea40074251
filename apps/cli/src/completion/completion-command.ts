import { didYouMean, OperatorError } from '@annex/runtime';
import type { Command } from '../command.ts';
import { reportInvalidCommandLine } from '../report-errors.ts';
import { bashCompletion } from './bash.ts';
import { type CompletedCommand, completedCommands } from './completed-command.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

const shells = new Map<string, (commands: readonly CompletedCommand[]) => string>([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

const usage = 'annex completion bash|zsh|fish';
const help = `Usage: ${usage}

  bash: eval "$(annex completion bash)" in ~/.bashrc
  zsh:  eval "$(annex completion zsh)" in ~/.zshrc, after compinit
  fish: annex completion fish > ~/.config/fish/completions/annex.fish
`;

/** `annex completion`: prints the script of a shell. Resolves to the exit code. */
export async function runCompletion(
  [shell = '', ...surplus]: readonly string[],
  commands: ReadonlyMap<string, Command>,
): Promise<number> {
  if (shell === '--help' || shell === '-h') {
    process.stdout.write(help);
    return 0;
  }
  const script = shells.get(shell);
  if (script === undefined || surplus.length > 0) {
    const hint = didYouMean(shell, [...shells.keys()]);
    const code = shell === '' ? 'ARGUMENT_MISSING' : 'ARGUMENT_UNEXPECTED';
    return reportInvalidCommandLine([new OperatorError(code, `usage: ${usage}${hint}`)]);
  }
  process.stdout.write(script(await completedCommands(commands)));
  return 0;
}
