import { exitCodes, helpRow, didYouMean, OperatorError, section } from '@annex/runtime';
import type { Command } from './command.ts';
import { reportInvalidCommandLine } from './report-errors.ts';

type Commands = Readonly<Record<string, Command>>;

/** Returns the text of `annex --help`. */
export const usage = (commands: Commands, apps: Commands): string =>
  [
    'Annex runs the Kubernetes API extension plane without the cluster.\n',
    section('Usage', ['  annex COMMAND [options]', '  annex COMMAND --help']),
    section('Commands', listing(commands)),
    section('Apps, each as a separate process', listing(apps)),
    section('Environment', [
      helpRow(
        'ANNEX_DATA_DIR',
        'the data directory; default: .annex of this folder or of a parent folder',
        18,
      ),
      helpRow('NO_COLOR', 'omit colors', 18),
    ]),
    section(
      'Exit codes',
      Object.entries(exitCodes).map(([code, meaning]) => helpRow(code, meaning, 18)),
    ),
  ].join('\n');

const listing = (commands: Commands): string[] =>
  Object.entries(commands).map(([name, { help }]) => helpRow(name, help, 18));

/** Prints the error, and the name that is nearest. Returns the exit code. */
export function reportUnknownCommand(name: string, names: readonly string[]): number {
  const lowerCase = name.toLowerCase();
  const hint = names.includes(lowerCase) ? `; did you mean ${lowerCase}?` : didYouMean(name, names);
  return reportInvalidCommandLine([
    new OperatorError('COMMAND_UNKNOWN', `unknown command ${JSON.stringify(name)}${hint}`),
  ]);
}
