import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { type AuditConfig, auditConflicts, auditOptions } from '@annex/audit';
import { authenticationOptions } from './authentication-options.ts';
import {
  type AuthorizationConfig,
  authorizationConflicts,
  authorizationOptions,
} from './authorization-options.ts';
import { type EgressConfig, egressOptions } from './egress-options.ts';
import { type EtcdConfig, etcdConflicts, etcdOptions } from './etcd-options.ts';
import { type LimitConfig, limitOptions } from './limit-options.ts';
import { type RequestHeaderConfig, requestHeaderOptions } from './request-header-options.ts';
import { type ListenConfig, type ServingConfig, servingOptions } from './serving-options.ts';
import { type TlsConfig, tlsConflicts, tlsOptions } from './tls-options.ts';

/** The configuration of every API server. */
export interface ServerConfig
  extends
    ListenConfig,
    AuthorizationConfig,
    RequestHeaderConfig,
    TlsConfig,
    LimitConfig,
    WatchdogConfig,
    AuditConfig,
    LogConfig,
    EgressConfig {
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
  anonymousAuth: boolean | undefined;
}

/** The configuration of every app in a separate process. */
export interface StandaloneConfig extends ServerConfig, ServingConfig, EtcdConfig {
  authorizationAlwaysAllowPaths: readonly string[];
}

/**
 * The options of every app in a separate process; those with kube-apiserver's names have the same meaning.
 */
export const standaloneOptions: OptionsTable<StandaloneConfig> = {
  ...servingOptions,
  clientCaFile: {
    flag: 'client-ca-file',
    group: 'Authentication',
    type: 'path',
    help: 'The CA of client certificates; without it, certificates do not authenticate users.',
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    group: 'Authentication by proxies',
    type: 'path',
    help: 'The CA of authenticating proxies; without it, no proxy is trusted.',
  },
  ...requestHeaderOptions,
  // The front proxy always sends the UID, which must not be lost between processes of Annex.
  requestheaderUidHeaders: { ...requestHeaderOptions.requestheaderUidHeaders, default: ['X-Remote-Uid'] },
  anonymousAuth: authenticationOptions.anonymousAuth,
  authorizationAlwaysAllowPaths: {
    flag: 'authorization-always-allow-paths',
    group: 'Authorization',
    type: 'list',
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths outside of the API that need no authorization.',
  },
  ...etcdOptions,
  etcdServers: {
    flag: etcdOptions.etcdServers.flag,
    group: 'Store',
    type: 'list',
    required: true,
    help: 'URLs of the etcd servers, or of object-storage.',
  },
  ...authorizationOptions,
  ...tlsOptions,
  ...limitOptions,
  ...watchdogOptions,
  ...auditOptions,
  ...egressOptions,
  ...logOptions,
};

/** Returns the conflicts of the options. */
export const standaloneConflicts: ConflictCheck<StandaloneConfig> = (config) => [
  ...(config.clientCaFile === undefined && config.requestheaderClientCaFile === undefined
    ? ['--requestheader-client-ca-file or --client-ca-file is required for authentication']
    : []),
  ...authorizationConflicts(config),
  ...auditConflicts(config),
  ...etcdConflicts(config),
  ...tlsConflicts(config),
];
