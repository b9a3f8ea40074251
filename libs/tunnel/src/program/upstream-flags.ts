import type { ForeignFlag, ForeignFlags } from '@annex/runtime';

/** A flag of upstream that changes nothing. */
export const acceptedFlag = (type: ForeignFlag['type'], why: string): ForeignFlag => ({
  type,
  fate: 'accepted',
  why,
});

const logs = acceptedFlag('value', 'Logs are written to standard error.');
const headers = acceptedFlag('bool', '`--log-format` selects the format of log lines.');
const noProfiles = acceptedFlag('bool', 'There are no profiles.');

/** The bounds of an int32. */
const levels = [-(2 ** 31), 2 ** 31 - 1] as const;

/** Levels of logs are read as by klog. */
function levelProblem(text: string): string | undefined {
  const level = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  const why = Number.isNaN(level)
    ? 'invalid syntax'
    : level < levels[0] || level > levels[1]
      ? 'value out of range'
      : undefined;
  if (why === undefined) return undefined;
  return `invalid argument ${JSON.stringify(text)} for "-v, --v" flag: strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`;
}

/** The flags of both of upstream's programs that are no options here, and further ones of one program. */
export const upstreamFlags = (further: Readonly<Record<string, ForeignFlag>>): ForeignFlags =>
  new Map(
    Object.entries({
      logtostderr: { ...logs, type: 'bool' },
      alsologtostderr: { ...logs, type: 'bool' },
      alsologtostderrthreshold: logs,
      'legacy-stderr-threshold-behavior': { ...logs, type: 'bool' },
      'log-dir': logs,
      'log-file': logs,
      'log-file-max-size': logs,
      'one-output': { ...logs, type: 'bool' },
      stderrthreshold: logs,
      'add-dir-header': headers,
      'skip-headers': headers,
      'skip-log-headers': headers,
      v: { ...acceptedFlag('value', '`--log-level` selects what is logged.'), problem: levelProblem },
      vmodule: acceptedFlag('value', '`--log-level` selects what is logged.'),
      'log-backtrace-at': acceptedFlag('value', 'Errors of the program are logged with their stacks.'),
      'kube-api-content-type': acceptedFlag('value', 'Requests are JSON.'),
      'xfr-channel-size': {
        ...acceptedFlag('value', 'Queues are bounded by bytes.'),
        problem: (size) => (Number(size) > 0 ? undefined : `channel size ${size} must be greater than 0`),
      },
      'warn-on-channel-limit': acceptedFlag('bool', 'Queues are bounded by bytes.'),
      'enable-profiling': noProfiles,
      'enable-contention-profiling': {
        ...noProfiles,
        requires: {
          flag: 'enable-profiling',
          error: 'if --enable-contention-profiling is set, --enable-profiling must also be set',
        },
      },
      ...further,
    }),
  );
