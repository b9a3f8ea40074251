import {
  type ConflictCheck,
  connectionLimitOptions,
  type ConnectionLimits,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';

/** The configuration of object-storage. */
export interface ObjectStorageConfig extends LogConfig, WatchdogConfig, ConnectionLimits {
  dataDir: string;
  ephemeral: boolean;
  listenClientUrls: readonly string[];
  advertiseClientUrls: readonly string[];
  listenMetricsUrls: readonly string[];
  certFile: string | undefined;
  keyFile: string | undefined;
  trustedCaFile: string | undefined;
  clientCertAuth: boolean;
  watchProgressNotifyInterval: number;
}

/** The options of object-storage. Names of etcd flags have the meaning of those flags. */
export const objectStorageOptions: OptionsTable<ObjectStorageConfig> = {
  dataDir: { flag: 'data-dir', type: 'path', default: 'object-storage', help: 'The directory of the data.' },
  ephemeral: {
    flag: 'ephemeral',
    type: 'bool',
    default: false,
    help: 'Store objects in memory only.',
  },
  listenClientUrls: {
    flag: 'listen-client-urls',
    type: 'list',
    default: ['http://127.0.0.1:2379'],
    help: 'URLs to listen on for clients; port 0 selects a free port. http URLs serve /health, too.',
  },
  advertiseClientUrls: {
    flag: 'advertise-client-urls',
    type: 'list',
    default: [],
    help: 'URLs that are advertised to clients; by default those of --listen-client-urls.',
  },
  listenMetricsUrls: {
    flag: 'listen-metrics-urls',
    type: 'list',
    default: [],
    help: 'http URLs that serve /health and /metrics.',
  },
  certFile: { flag: 'cert-file', type: 'path', help: 'The certificate for https.' },
  keyFile: { flag: 'key-file', type: 'path', help: 'The key of the certificate.' },
  trustedCaFile: {
    flag: 'trusted-ca-file',
    type: 'path',
    help: 'The CAs of client certificates.',
  },
  clientCertAuth: {
    flag: 'client-cert-auth',
    type: 'bool',
    default: false,
    help: 'Reject clients without a certificate of the trusted CAs.',
  },
  watchProgressNotifyInterval: {
    flag: 'watch-progress-notify-interval',
    type: 'duration',
    default: 600_000,
    min: 100,
    help: 'The interval of progress notifications to watches that request them.',
  },
  ...connectionLimitOptions,
  ...watchdogOptions,
  ...logOptions,
};

const schemes = ['http:', 'https:'];

/** Checks rules between options. */
export const objectStorageConflicts: ConflictCheck<ObjectStorageConfig> = (config) => {
  const problems: string[] = [];
  const { listenClientUrls, listenMetricsUrls, certFile, keyFile, trustedCaFile, clientCertAuth } = config;
  for (const url of [...listenClientUrls, ...listenMetricsUrls]) {
    if (!URL.canParse(url) || !schemes.includes(new URL(url).protocol))
      problems.push(`${url} is not an http or https URL`);
  }
  if (listenClientUrls.length === 0) problems.push('--listen-client-urls contains no URL');
  if (listenMetricsUrls.some((url) => url.startsWith('https:')))
    problems.push('--listen-metrics-urls supports http only');
  const https = listenClientUrls.some((url) => url.startsWith('https:'));
  if (https && (!certFile || !keyFile)) problems.push('https requires --cert-file and --key-file');
  if (clientCertAuth && !trustedCaFile) problems.push('--client-cert-auth requires --trusted-ca-file');
  if (clientCertAuth && !https) problems.push('--client-cert-auth requires https in --listen-client-urls');
  return problems;
};
