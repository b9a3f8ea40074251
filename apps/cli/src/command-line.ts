import { tableOf } from '@annex/machinery';
import {
  type ConflictCheck,
  helpText,
  OperatorError,
  type OptionsTable,
  parseOptions,
  type Validated,
} from '@annex/runtime';
import { reportInvalidCommandLine } from './report-errors.ts';

/** The syntax of a command of `annex`: words, then options. */
export interface CommandSyntax<C> {
  /** The usage line of `--help`: `annex trace [AUDIT-ID]`. */
  usage: string;
  options: OptionsTable<C>;
  conflicts?: ConflictCheck<C>;
  /** The number of words before the options. */
  words: { min: number; max: number };
}

/** kubectl's short forms. */
const shortFlags = tableOf({
  '-o': '--output',
  '-f': '--follow',
  '-n': '--namespace',
});

/** Parses a command line. Prints errors or the help text, and returns the exit code in that case. */
export function readCommandLine<C>(
  { conflicts, options, usage, words: { max, min } }: CommandSyntax<C>,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): { config: Validated<C>; words: readonly string[] } | { exitCode: number } {
  const firstOption = argv.findIndex((word) => word.startsWith('-'));
  const words = firstOption < 0 ? argv : argv.slice(0, firstOption);
  const flags = argv.slice(words.length).map((word) => shortFlags.get(word) ?? word);
  const parsed = parseOptions(options, flags, env, conflicts);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText(usage, options));
    return { exitCode: 0 };
  }
  const errors: Error[] = parsed.kind === 'errors' ? [...parsed.errors] : [];
  const surplus = words[max];
  if (surplus !== undefined)
    errors.push(
      new OperatorError(
        'ARGUMENT_UNEXPECTED',
        `unexpected argument ${JSON.stringify(surplus)}; usage: ${usage}`,
      ),
    );
  if (words.length < min) errors.push(new OperatorError('ARGUMENT_MISSING', `usage: ${usage}`));
  if (parsed.kind === 'errors' || errors.length > 0) return { exitCode: reportInvalidCommandLine(errors) };
  return { config: parsed.config, words };
}
