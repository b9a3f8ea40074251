import { controllerErrors } from '@annex/controllers';
import { type ConflictCheck, type LogConfig, logOptions, type OptionsTable } from '@annex/runtime';
import {
  type AggregatorConfig,
  aggregatorOptions,
  type AuthorizationConfig,
  authorizationConflicts,
  authorizationOptions,
  type AuditConfig,
  auditConflicts,
  auditOptions,
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
  type LimitConfig,
  limitOptions,
  type RequestHeaderConfig,
  requestHeaderOptions,
  type ServedApisConfig,
  servedApisConflicts,
  servedApisOptions,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type TokenIssuerConfig,
  tokenIssuerOptions,
} from '@annex/server';

/** The configuration of `annex up`. */
export interface UpConfig
  extends
    RequestHeaderConfig,
    AggregatorConfig,
    ServiceAccountConfig,
    TokenIssuerConfig,
    AuthenticationConfig,
    AuthorizationConfig,
    ServedApisConfig,
    LimitConfig,
    AuditConfig,
    LogConfig {
  dataDir: string;
  bindAddress: string;
  port: number;
  ephemeral: boolean;
  controllers: readonly string[];
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
  proxyClientCertFile: string | undefined;
  proxyClientKeyFile: string | undefined;
  serviceClusterIpRange: string;
}

/** The options of `annex up`; names that kube-apiserver has mean what they mean there. */
export const upOptions: OptionsTable<UpConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'Keys, kubeconfig and the store live here.',
  },
  bindAddress: {
    flag: 'bind-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address to listen on.',
  },
  port: {
    flag: 'port',
    type: 'int',
    default: 6443,
    min: 0,
    max: 65535,
    help: 'The port to listen on; 0 takes a free one.',
  },
  ephemeral: {
    flag: 'ephemeral',
    type: 'bool',
    default: false,
    help: 'Keep objects in memory only; keys stay in the data directory.',
  },
  controllers: {
    flag: 'controllers',
    type: 'list',
    default: ['*'],
    help: "Controllers to run, in kube-controller-manager's form: '*' for all, 'name', '-name'; empty for none.",
  },
  ...logOptions,
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'path',
    help: 'Authorities of client certificates; pki/ca.crt by default.',
  },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    type: 'path',
    help: 'Authorities of authenticating proxies; pki/front-proxy-ca.crt by default.',
  },
  ...requestHeaderOptions,
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    type: 'path',
    help: 'The certificate shown to extension API servers; pki/front-proxy-client.crt by default.',
  },
  proxyClientKeyFile: { flag: 'proxy-client-key-file', type: 'path', help: 'The key of that certificate.' },
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
  serviceClusterIpRange: {
    flag: 'service-cluster-ip-range',
    type: 'string',
    default: '10.0.0.0/16',
    help: 'Cluster addresses of Services are taken from here.',
  },
  ...authenticationOptions,
  ...authorizationOptions,
  ...servedApisOptions,
  ...limitOptions,
  ...auditOptions,
};

/** Rules between options. */
export const upConflicts: ConflictCheck<UpConfig> = (config) => [
  ...((config.proxyClientCertFile === undefined) === (config.proxyClientKeyFile === undefined)
    ? []
    : ['--proxy-client-cert-file and --proxy-client-key-file belong together']),
  ...servedApisConflicts(config),
  ...auditConflicts(config),
  ...authenticationConflicts(config),
  ...serviceAccountConflicts(config),
  ...authorizationConflicts(config),
  ...controllerErrors(config.controllers).map((error) => `--controllers: ${error}`),
];
