import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { type LimitConfig, limitOptions, type TlsConfig, tlsConflicts, tlsOptions } from '@annex/process';
import { type AdmissionConfig, admissionOptions, choiceConflicts, genericPlugins } from '@annex/admission';
import type { AdmissionPlugin } from '@annex/server';
import { type AuditConfig, auditConflicts, auditOptions } from '@annex/audit';
import { type TrustConfig, trustOptions } from './trust-options.ts';

/** The configuration of an extension API server that runs as a process. */
export interface ExtensionConfig
  extends AdmissionConfig, AuditConfig, TrustConfig, LimitConfig, TlsConfig, WatchdogConfig, LogConfig {
  kubeconfig: string | undefined;
  bindAddress: string;
  securePort: number;
  tlsCertFile: string | undefined;
  tlsPrivateKeyFile: string | undefined;
  certDir: string;
  serviceNames: readonly string[];
  dataDir: string | undefined;
  etcdServers: readonly string[];
  etcdCafile: string | undefined;
  etcdCertfile: string | undefined;
  etcdKeyfile: string | undefined;
  authorizedTtl: number;
  unauthorizedTtl: number;
  tokenTtl: number;
  shutdownDelay: number;
}

/** The options; those of the Go library for extension API servers have the same meaning. */
export const extensionOptions: OptionsTable<ExtensionConfig> = {
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    env: 'KUBECONFIG',
    help: 'The kubeconfig of the API server. Default inside of a cluster: the service account of the Pod.',
  },
  bindAddress: {
    flag: 'bind-address',
    nonEmpty: true,
    type: 'string',
    env: false,
    default: '127.0.0.1',
    help: 'The address to listen on.',
  },
  securePort: {
    flag: 'secure-port',
    type: 'int',
    env: false,
    default: 8443,
    min: 0,
    max: 65535,
    help: 'The port to listen on; 0 selects a free one.',
  },
  tlsCertFile: { flag: 'tls-cert-file', type: 'path', env: false, help: 'The certificate of this server.' },
  tlsPrivateKeyFile: {
    flag: 'tls-private-key-file',
    type: 'path',
    env: false,
    help: 'The key of that certificate.',
  },
  certDir: {
    flag: 'cert-dir',
    type: 'path',
    env: false,
    default: 'tls',
    help: 'The folder in which tls.crt, tls.key and ca.crt are created if no certificate is configured.',
  },
  serviceNames: {
    flag: 'service-names',
    type: 'list',
    env: false,
    default: ['localhost'],
    help: 'The names in that certificate, such as SERVICE.NAMESPACE.svc.',
  },
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    env: false,
    help: 'The folder of the objects on disk. Default: in memory, unless --etcd-servers is set.',
  },
  etcdServers: {
    flag: 'etcd-servers',
    type: 'list',
    env: false,
    default: [],
    help: 'URLs of the etcd servers that store the objects.',
  },
  etcdCafile: {
    flag: 'etcd-cafile',
    type: 'path',
    env: false,
    help: 'The CA of the certificates of etcd.',
  },
  etcdCertfile: { flag: 'etcd-certfile', type: 'path', env: false, help: 'The client certificate for etcd.' },
  etcdKeyfile: { flag: 'etcd-keyfile', type: 'path', env: false, help: 'The key of that certificate.' },
  authorizedTtl: {
    flag: 'authorization-webhook-cache-authorized-ttl',
    type: 'duration',
    env: false,
    default: 10_000,
    help: 'How long an allowing access review is cached.',
  },
  unauthorizedTtl: {
    flag: 'authorization-webhook-cache-unauthorized-ttl',
    type: 'duration',
    env: false,
    default: 10_000,
    help: 'How long a denying access review is cached.',
  },
  tokenTtl: {
    flag: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    env: false,
    default: 10_000,
    help: 'How long a valid token is cached.',
  },
  shutdownDelay: {
    flag: 'shutdown-delay-duration',
    type: 'duration',
    env: false,
    default: 0,
    help: 'How long the server continues to serve requests after the stop signal, while /readyz fails.',
  },
  enableAdmissionPlugins: {
    ...admissionOptions.enableAdmissionPlugins,
    help: 'Admission plugins to enable; all are enabled by default.',
  },
  disableAdmissionPlugins: {
    ...admissionOptions.disableAdmissionPlugins,
    help: `Admission plugins to disable: ${genericPlugins.join(', ')}, and those of the server itself.`,
  },
  admissionControlConfigFile: {
    ...admissionOptions.admissionControlConfigFile,
    help: 'An apiserver.config.k8s.io/v1 AdmissionConfiguration with the credentials for webhooks.',
  },
  ...auditOptions,
  ...trustOptions,
  ...tlsOptions,
  ...limitOptions,
  ...watchdogOptions,
  ...logOptions,
};

/** Returns the conflicts of the options of an extension with these admission plugins. */
export const extensionConflicts =
  (admission: readonly AdmissionPlugin[] = []): ConflictCheck<ExtensionConfig> =>
  (config) => [
    ...choiceConflicts(config, (name) =>
      [...genericPlugins, ...admission.map((plugin) => plugin.name)].includes(name),
    ),
    ...auditConflicts(config),
    ...tlsConflicts(config),
    ...together(config.tlsCertFile, config.tlsPrivateKeyFile, '--tls-cert-file and --tls-private-key-file'),
    ...together(config.etcdCertfile, config.etcdKeyfile, '--etcd-certfile and --etcd-keyfile'),
    ...(config.dataDir !== undefined && config.etcdServers.length > 0
      ? ['--data-dir and --etcd-servers exclude each other']
      : []),
  ];

const together = (one: unknown, other: unknown, names: string): string[] =>
  (one === undefined) === (other === undefined) ? [] : [`${names} belong together`];
