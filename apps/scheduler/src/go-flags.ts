import { goQuote, parseGoBoolean, tableOf } from '@annex/machinery';
import type { OptionsTable } from '@annex/runtime';
import { durationMs } from './config/durations.ts';
import { kubeSchedulerFlags, type SchedulerProcessConfig } from './options.ts';

type Check = (text: string) => string | undefined;

const checks = tableOf<Check>({
  duration(text) {
    try {
      durationMs(text, 0);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  },
  int: (text) =>
    /^[+-]?\d+$/.test(text) ? undefined : `strconv.ParseInt: parsing "${text}": invalid syntax`,
  bool: (text) =>
    parseGoBoolean(text) === undefined
      ? `strconv.ParseBool: parsing ${goQuote(text)}: invalid syntax`
      : undefined,
});

/** Flags of Go's type float32, which are strings in the table. */
const floatFlags = new Set(['kube-api-qps']);

const floatError: Check = (text) =>
  /^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/.test(text) && !Number.isNaN(Number(text))
    ? undefined
    : `strconv.ParseFloat: parsing ${goQuote(text)}: invalid syntax`;

/** Returns the error of a command line that kube-scheduler would refuse, with its text. */
export function goFlagError(
  argv: readonly string[],
  table: OptionsTable<SchedulerProcessConfig>,
): string | undefined {
  const types = new Map(Object.values(table).map(({ flag, type }) => [flag, type as string]));
  for (let i = 0; i < argv.length; i++) {
    const found = /^--([^=]+)(?:=(.*))?$/s.exec(argv[i] ?? '');
    if (found === null) continue;
    const [, written = '', joined] = found;
    const flag = written.replaceAll('_', '-');
    const type = types.get(flag) ?? kubeSchedulerFlags.get(flag)?.type;
    if (flag === 'help') continue;
    if (type === undefined) return `unknown flag: --${written}`;
    const text = joined ?? (type === 'bool' ? 'true' : argv[++i]);
    if (text === undefined) return `flag needs an argument: --${flag}`;
    const check = floatFlags.has(flag) ? floatError : checks.get(type);
    const problem = check?.(text);
    if (problem !== undefined) return `invalid argument "${text}" for "--${flag}" flag: ${problem}`;
    if (flag === 'secure-port' && (Number(text) < 0 || Number(text) > 65_535))
      return `--secure-port ${text} must be between 1 and 65535, inclusive. It cannot be turned off with 0`;
  }
  return undefined;
}
