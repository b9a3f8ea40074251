import { isIP } from 'node:net';
import { goQuote, goQuoteList, parseGoBoolean, tableOf } from '@annex/machinery';
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

const floatError: Check = (text) =>
  /^[+-]?[\d.]+(?:[eE][+-]?\d+)?$/.test(text) && !Number.isNaN(Number(text))
    ? undefined
    : `strconv.ParseFloat: parsing ${goQuote(text)}: invalid syntax`;

/** Checks of flags whose type in the table is another one than in Go. */
const checksOfFlags = tableOf<Check>({
  'kube-api-qps': floatError,
  'bind-address': (text) => (isIP(text) === 0 ? `failed to parse IP: ${goQuote(text)}` : undefined),
  v: (text) =>
    /^[+-]?\d+$/.test(text) ? undefined : `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`,
});

const tlsVersions = ['', 'VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'];

/** Checks whose errors do not name the flag. */
const lateChecks = tableOf<Check>({
  'feature-gates': (text) => {
    const bare = text.split(',').find((part) => part !== '' && !part.includes('='));
    return bare === undefined ? undefined : `missing bool value for ${bare.trim()}`;
  },
  'logging-format': (text) =>
    text === 'text' || text === 'json'
      ? undefined
      : `format: Invalid value: ${goQuote(text)}: Unsupported log format`,
  'tls-min-version': (text) =>
    tlsVersions.includes(text) ? undefined : `unknown tls version ${goQuote(text)}`,
});

/** Returns the error of a command line that kube-scheduler would refuse, with its text. */
export function goFlagError(
  argv: readonly string[],
  table: OptionsTable<SchedulerProcessConfig>,
): string | undefined {
  const types = new Map(Object.values(table).map(({ flag, type }) => [flag, type as string]));
  const extra: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const found = /^--([^=]+)(?:=(.*))?$/s.exec(argv[i] ?? '');
    if (found === null) {
      if (!argv[i]?.startsWith('-')) extra.push(argv[i] ?? '');
      continue;
    }
    const [, written = '', joined] = found;
    const flag = written.replaceAll('_', '-');
    const type = types.get(flag) ?? kubeSchedulerFlags.get(flag)?.type;
    if (flag === 'help') continue;
    if (type === undefined) return `unknown flag: --${written}`;
    const text = joined ?? (type === 'bool' ? 'true' : argv[++i]);
    if (text === undefined) return `flag needs an argument: --${flag}`;
    const check = checksOfFlags.get(flag) ?? checks.get(type);
    const problem = check?.(text);
    if (problem !== undefined)
      return `invalid argument "${text}" for "${flag === 'v' ? '-v, --v' : `--${flag}`}" flag: ${problem}`;
    const late = lateChecks.get(flag)?.(text);
    if (late !== undefined) return late;
    if (flag === 'secure-port' && (Number(text) < 0 || Number(text) > 65_535))
      return `--secure-port ${text} must be between 1 and 65535, inclusive. It cannot be turned off with 0`;
  }
  return extra.length === 0
    ? undefined
    : `"kube-scheduler" does not take any arguments, got ${goQuoteList(extra)}`;
}
