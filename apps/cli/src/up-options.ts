import {
  type ElectionConfig,
  electionConflicts,
  electionOptions,
  type SelectionConfig,
  selectionConflicts,
  selectionOptions,
} from '@annex/controllers';
import {
  type EventConfig,
  eventOptions,
  type ServiceRangeConfig,
  serviceRangeConflicts,
  serviceRangeOptions,
} from '@annex/core-api';
import { type FakeNodesConfig, fakeNodesConflicts, fakeNodesOptions } from '@annex/fake-nodes';
import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import {
  advertiseConflicts,
  advertiseOptions,
  chooseHostAddress,
  type EgressConfig,
  egressOptions,
  type EtcdConfig,
  etcdConflicts,
  etcdOptions,
  isUnspecified,
  type AggregatorConfig,
  aggregatorOptions,
  type AuthorizationConfig,
  authorizationConflicts,
  authorizationOptions,
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
  type CorsConfig,
  corsConflicts,
  corsOptions,
  type TlsConfig,
  tlsConflicts,
  tlsOptions,
  type LimitConfig,
  limitOptions,
  type ListenConfig,
  listenOptions,
  type RequestHeaderConfig,
  requestHeaderOptions,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type ThreadsConfig,
  threadsOptions,
  type TokenIssuerConfig,
  tokenIssuerOptions,
} from '@annex/process';
import {
  type AdmissionConfig,
  admissionConflicts,
  admissionOptions,
  type TolerationConfig,
  tolerationOptions,
} from '@annex/admission';
import { type SchedulersConfig, schedulersConflicts, schedulersOptions } from '@annex/scheduler';
import { type ServedApisConfig, servedApisConflicts, servedApisOptions } from '@annex/server';
import { type AuditConfig, auditConflicts, auditOptions } from '@annex/audit';

/** The configuration of `annex up`. */
export interface UpConfig
  extends
    ListenConfig,
    SelectionConfig,
    ElectionConfig,
    SchedulersConfig,
    FakeNodesConfig,
    ServiceRangeConfig,
    EventConfig,
    RequestHeaderConfig,
    AggregatorConfig,
    ServiceAccountConfig,
    TokenIssuerConfig,
    AuthenticationConfig,
    AuthorizationConfig,
    ServedApisConfig,
    AdmissionConfig,
    TolerationConfig,
    TlsConfig,
    CorsConfig,
    ThreadsConfig,
    LimitConfig,
    EgressConfig,
    AuditConfig,
    EtcdConfig,
    WatchdogConfig,
    LogConfig {
  dataDir: string;
  kubeconfigMerge: boolean;
  ephemeral: boolean;
  advertiseAddress: string | undefined;
  externalHostname: string | undefined;
  certDir: string | undefined;
  tlsCertFile: string | undefined;
  tlsPrivateKeyFile: string | undefined;
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
  proxyClientCertFile: string | undefined;
  proxyClientKeyFile: string | undefined;
}

/** The options of `annex up`. Names of kube-apiserver flags have the meaning of those flags. */
export const upOptions: OptionsTable<UpConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'The directory of the keys, the kubeconfig and the store.',
  },
  kubeconfigMerge: {
    flag: 'kubeconfig-merge',
    type: 'bool',
    default: false,
    help: 'Add the context annex to ~/.kube/config, or to the first file of KUBECONFIG, and make it the current one. annex kubeconfig remove undoes it.',
  },
  ...listenOptions,
  port: { ...listenOptions.port, type: 'int', default: 6443 },
  advertiseAddress: {
    flag: advertiseOptions.advertiseAddress.flag,
    group: 'Serving',
    type: 'string',
    help: 'The IP address that clients use to reach the server; by default --bind-address, or that of the default route if --bind-address is unspecified.',
  },
  externalHostname: {
    flag: 'external-hostname',
    group: 'Serving',
    type: 'string',
    help: 'The host name in the URLs that discovery publishes; the advertised address by default.',
  },
  certDir: {
    flag: 'cert-dir',
    group: 'Serving',
    type: 'path',
    help: 'The directory of the serving certificate, apiserver.crt and apiserver.key; missing files are created. pki in the data directory by default.',
  },
  tlsCertFile: {
    flag: 'tls-cert-file',
    group: 'Serving',
    type: 'path',
    help: 'The serving certificate, followed by its CAs; that of --cert-dir by default.',
  },
  tlsPrivateKeyFile: {
    flag: 'tls-private-key-file',
    group: 'Serving',
    type: 'path',
    help: 'The key of that certificate.',
  },
  ...etcdOptions,
  ephemeral: {
    flag: 'ephemeral',
    type: 'bool',
    default: false,
    help: 'Store objects in memory only; keys are stored in the data directory.',
  },
  ...selectionOptions,
  ...electionOptions,
  leaderElect: {
    ...electionOptions.leaderElect,
    type: 'bool',
    default: true,
    help: 'With --etcd-servers: run the controllers only while this replica is their leader.',
  },
  ...schedulersOptions,
  ...fakeNodesOptions,
  ...logOptions,
  clientCaFile: {
    flag: 'client-ca-file',
    group: 'Authentication',
    type: 'path',
    help: 'CAs of client certificates; pki/ca.crt by default.',
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    group: 'Authentication by proxies',
    type: 'path',
    help: 'CAs of authenticating proxies; pki/front-proxy-ca.crt by default.',
  },
  ...requestHeaderOptions,
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    group: 'Aggregation',
    type: 'path',
    help: 'The client certificate for extension API servers; pki/front-proxy-client.crt by default.',
  },
  proxyClientKeyFile: {
    flag: 'proxy-client-key-file',
    group: 'Aggregation',
    type: 'path',
    help: 'The key of that certificate.',
  },
  ...aggregatorOptions,
  ...serviceAccountOptions,
  serviceAccountKeyFile: {
    ...serviceAccountOptions.serviceAccountKeyFile,
    type: 'list',
    default: [],
    help: 'Files of public keys, each with any number of them, that verify service-account tokens; pki/sa.pub by default.',
  },
  ...tokenIssuerOptions,
  serviceAccountSigningKeyFile: {
    ...tokenIssuerOptions.serviceAccountSigningKeyFile,
    help: 'The key that signs service-account tokens; pki/sa.key by default.',
  },
  ...serviceRangeOptions,
  ...eventOptions,
  ...authenticationOptions,
  ...authorizationOptions,
  ...servedApisOptions,
  ...admissionOptions,
  ...tolerationOptions,
  ...tlsOptions,
  ...corsOptions,
  ...threadsOptions,
  ...limitOptions,
  ...watchdogOptions,
  ...auditOptions,
  ...egressOptions,
};

/** Returns the address that clients use to reach the server. Throws if the address of the host is needed and cannot be found. */
export function advertisedAddress({ advertiseAddress, bindAddress }: AdvertisedConfig): string {
  if (advertiseAddress !== undefined && !isUnspecified(advertiseAddress)) return advertiseAddress;
  if (!isUnspecified(bindAddress)) return bindAddress;
  try {
    return chooseHostAddress(bindAddress);
  } catch (error) {
    throw new Error(
      `Unable to find suitable network address.error='${(error as Error).message}'. ` +
        'Try to set the AdvertiseAddress directly or provide a valid BindAddress to fix this.',
      { cause: error },
    );
  }
}

type AdvertisedConfig = Pick<UpConfig, 'advertiseAddress' | 'bindAddress'>;

/** Rules between options. */
export const upConflicts: ConflictCheck<UpConfig> = (config) => [
  ...((config.proxyClientCertFile === undefined) === (config.proxyClientKeyFile === undefined)
    ? []
    : ['--proxy-client-cert-file and --proxy-client-key-file must be set together']),
  ...((config.tlsCertFile === undefined) === (config.tlsPrivateKeyFile === undefined)
    ? []
    : ['--tls-cert-file and --tls-private-key-file must be set together']),
  ...(config.ephemeral && config.etcdServers.length > 0
    ? ['--ephemeral and --etcd-servers are mutually exclusive']
    : []),
  ...etcdConflicts(config),
  ...tlsConflicts(config),
  ...corsConflicts(config),
  ...advertiseConflicts(config),
  ...servedApisConflicts(config),
  ...admissionConflicts(config),
  ...auditConflicts(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...authorizationConflicts(config),
  ...selectionConflicts(config),
  ...electionConflicts(config),
  ...schedulersConflicts(config),
  ...fakeNodesConflicts(config),
  ...serviceRangeConflicts(config),
];
