import { objectStorageProgram } from '@annex/object-storage';
import { type ForeignFlag, type ForeignFlags, runProcess } from '@annex/runtime';

/** Flags of etcd that test environments set and that change nothing for an in-memory store of one member. */
const withoutEffect: Readonly<Record<string, ForeignFlag['type']>> = {
  'auto-compaction-mode': 'value',
  'auto-compaction-retention': 'value',
  'backend-batch-interval': 'value',
  'backend-batch-limit': 'value',
  'election-timeout': 'value',
  'enable-pprof': 'bool',
  'enable-v2': 'bool',
  'force-new-cluster': 'bool',
  'heartbeat-interval': 'value',
  'initial-advertise-peer-urls': 'value',
  'initial-cluster': 'value',
  'initial-cluster-state': 'value',
  'initial-cluster-token': 'value',
  'listen-peer-urls': 'value',
  'log-outputs': 'value',
  logger: 'value',
  'max-concurrent-streams': 'value',
  'max-request-bytes': 'value',
  'max-txn-ops': 'value',
  'max-wals': 'value',
  name: 'value',
  'quota-backend-bytes': 'value',
  'snapshot-count': 'value',
  'strict-reconfig-check': 'bool',
  'unsafe-no-fsync': 'bool',
  'wal-dir': 'value',
};

/** The text of `etcd --help`. */
export const etcdHelp = (): string =>
  [
    'Usage: etcd [flags], an in-memory store of Annex with the API of etcd',
    '',
    ...Object.values(objectStorageProgram.options).map(({ flag, help }) => `  --${flag}\n        ${help}`),
    ...Object.keys(withoutEffect).map((flag) => `  --${flag}\n        Accepted without effect.`),
    '',
  ].join('\n');

/** The options of object-storage with the defaults of a test environment. */
export const etcdOptions: typeof objectStorageProgram.options = {
  ...objectStorageProgram.options,
  ephemeral: { ...objectStorageProgram.options.ephemeral, type: 'bool', default: true },
  logLevel: { ...objectStorageProgram.options.logLevel, type: 'string', default: 'warn' },
};

/** The flags of etcd that {@link etcdOptions} does not have. */
export const etcdFlags: ForeignFlags = new Map(
  Object.entries(withoutEffect).map(([flag, type]) => [
    flag,
    { type, fate: 'accepted', why: 'There is one member, in memory.' },
  ]),
);

/** Go's package flag reads one dash as two. */
export const withTwoDashes = (argv: readonly string[]): string[] =>
  argv.map((argument) => (isShort(argument) ? `-${argument}` : argument));

/** `etcd` of `annex envtest`: an in-memory store with the API of etcd. Runs until SIGTERM or SIGINT. */
export function runEtcd(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return runProcess(
    {
      ...objectStorageProgram,
      name: 'etcd',
      options: etcdOptions,
      foreign: { program: 'etcd', flags: etcdFlags },
    },
    withTwoDashes(argv),
    env,
  );
}

const isShort = (argument: string): boolean => argument.startsWith('-') && !argument.startsWith('--');
