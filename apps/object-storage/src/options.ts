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
  listenClientUrls: readonly string[];
  advertiseClientUrls: readonly string[];
  listenMetricsUrls: readonly string[];
  certFile: string | undefined;
  keyFile: string | undefined;
  trustedCaFile: string | undefined;
  clientCertAuth: boolean;
  watchProgressNotifyInterval: number;
}

/** The options of object-storage; names that etcd has mean what they mean there. */
export const objectStorageOptions: OptionsTable<ObjectStorageConfig> = {
  dataDir: { flag: 'data-dir', type: 'path', default: 'object-storage', help: 'Where the data is kept.' },
  listenClientUrls: {
    flag: 'listen-client-urls',
    type: 'list',
    default: ['http://127.0.0.1:2379'],
    help: 'URLs to listen on for clients; port 0 takes a free one.',
  },
  advertiseClientUrls: {
    flag: 'advertise-client-urls',
    type: 'list',
    default: [],
    help: 'URLs that clients are told of; those listened on by default.',
  },
  listenMetricsUrls: {
    flag: 'listen-metrics-urls',
    type: 'list',
    default: [],
    help: 'http URLs to answer /health and /metrics on.',
  },
  certFile: { flag: 'cert-file', type: 'path', help: 'The certificate for https.' },
  keyFile: { flag: 'key-file', type: 'path', help: 'The key of the certificate.' },
  trustedCaFile: {
    flag: 'trusted-ca-file',
    type: 'path',
    help: 'The authorities of client certificates.',
  },
  clientCertAuth: {
    flag: 'client-cert-auth',
    type: 'bool',
    default: false,
    help: 'Refuse clients without a certificate of the trusted authorities.',
  },
  watchProgressNotifyInterval: {
    flag: 'watch-progress-notify-interval',
    type: 'duration',
    default: 600_000,
    min: 100,
    help: 'How often quiet watches that ask for it are told of progress.',
  },
  ...connectionLimitOptions,
  ...watchdogOptions,
  ...logOptions,
};

const schemes = ['http:', 'https:'];

/** What the options of object-storage may not be together. */
export const objectStorageConflicts: ConflictCheck<ObjectStorageConfig> = (config) => {
  const problems: string[] = [];
  const { listenClientUrls, listenMetricsUrls, certFile, keyFile, trustedCaFile, clientCertAuth } = config;
  for (const url of [...listenClientUrls, ...listenMetricsUrls]) {
    if (!URL.canParse(url) || !schemes.includes(new URL(url).protocol))
      problems.push(`${url} is no http or https URL`);
  }
  if (listenClientUrls.length === 0) problems.push('--listen-client-urls names no URL');
  if (listenMetricsUrls.some((url) => url.startsWith('https:')))
    problems.push('--listen-metrics-urls takes http only');
  const https = listenClientUrls.some((url) => url.startsWith('https:'));
  if (https && (!certFile || !keyFile)) problems.push('https needs --cert-file and --key-file');
  if (clientCertAuth && !trustedCaFile) problems.push('--client-cert-auth needs --trusted-ca-file');
  if (clientCertAuth && !https) problems.push('--client-cert-auth needs https in --listen-client-urls');
  return problems;
};
