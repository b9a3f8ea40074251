import {
  type LogConfig,
  logOptions,
  optionGroup,
  type OptionsTable,
  portOption,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import {
  acceptedFlag,
  type LeaseConfig,
  leaseOptions,
  type MonitorConfig,
  monitorOptions,
  type PeerConfig,
  peerOptions,
  upstreamFlags,
} from '@annex/tunnel';
import { backendDialTimeoutMs } from './limits.ts';

interface FrontendConfig {
  mode: string;
  udsName: string | undefined;
  deleteExistingUdsFile: boolean;
  serverPort: number;
  serverBindAddress: string;
  serverCert: string | undefined;
  serverKey: string | undefined;
  serverCaCert: string | undefined;
}

interface AgentsConfig extends PeerConfig {
  agentPort: number;
  agentBindAddress: string;
  clusterCert: string | undefined;
  clusterKey: string | undefined;
  clusterCaCert: string | undefined;
  agentIdFromCertificate: boolean;
  proxyStrategies: readonly string[];
  serverId: string | undefined;
  serverCount: number;
  backendDialTimeout: number;
}

interface TokenConfig {
  agentNamespace: string | undefined;
  agentServiceAccount: string | undefined;
  authenticationAudience: string | undefined;
  kubeconfig: string | undefined;
}

interface LeasesConfig extends LeaseConfig {
  enableLeaseController: boolean;
}

/** How the ports negotiate TLS. */
export interface TlsConfig {
  cipherSuites: readonly string[];
  tlsMinVersion: string;
}

/** The configuration of a Konnectivity server. */
export interface KonnectivityServerConfig
  extends
    FrontendConfig,
    AgentsConfig,
    TokenConfig,
    MonitorConfig,
    LeasesConfig,
    TlsConfig,
    LogConfig,
    WatchdogConfig {}

const frontend: OptionsTable<FrontendConfig> = optionGroup('API server', {
  mode: {
    flag: 'mode',
    type: 'string',
    default: 'grpc',
    help: 'What the API server speaks: grpc or http-connect.',
  },
  udsName: {
    flag: 'uds-name',
    type: 'path',
    help: 'The Unix socket for the API server; requires --server-port=0.',
  },
  deleteExistingUdsFile: {
    flag: 'delete-existing-uds-file',
    type: 'bool',
    default: true,
    help: 'Remove a socket that an earlier process left behind.',
  },
  serverPort: portOption('server-port', 8090, 'The TCP port for the API server; 0 for none.'),
  serverBindAddress: {
    flag: 'server-bind-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of this port.',
  },
  serverCert: {
    flag: 'server-cert',
    type: 'path',
    help: 'The certificate of the TCP port for the API server.',
  },
  serverKey: { flag: 'server-key', type: 'path', help: 'Its key.' },
  serverCaCert: {
    flag: 'server-ca-cert',
    type: 'path',
    help: 'The CAs of the certificates that the API server must have on the TCP port.',
  },
});

const agents: OptionsTable<AgentsConfig> = optionGroup('Agents', {
  agentPort: portOption('agent-port', 8091, 'The port for agents.'),
  agentBindAddress: {
    flag: 'agent-bind-address',
    type: 'string',
    default: '0.0.0.0',
    help: 'The address of this port.',
  },
  clusterCert: { flag: 'cluster-cert', type: 'path', help: 'The certificate of the port for agents.' },
  clusterKey: { flag: 'cluster-key', type: 'path', help: 'Its key.' },
  clusterCaCert: {
    flag: 'cluster-ca-cert',
    type: 'path',
    help: 'The CAs of the certificates of agents. With it, every agent must have one.',
  },
  agentIdFromCertificate: {
    flag: 'agent-id-from-certificate',
    type: 'bool',
    default: false,
    help: 'Refuse agents whose ID is not the common name of their certificate; requires --cluster-ca-cert.',
  },
  proxyStrategies: {
    flag: 'proxy-strategies',
    type: 'list',
    default: ['default'],
    help: 'How an agent is chosen, in this order: destHost, defaultRoute, default.',
  },
  serverId: {
    flag: 'server-id',
    env: 'PROXY_SERVER_ID',
    type: 'string',
    help: 'The name of this server for agents; by default a new UUID.',
  },
  serverCount: {
    flag: 'server-count',
    type: 'int',
    default: 1,
    min: 1,
    max: 1_000,
    help: 'The number of servers that agents are to connect to.',
  },
  ...peerOptions('agent'),
  backendDialTimeout: {
    flag: 'backend-dial-timeout',
    type: 'duration',
    default: backendDialTimeoutMs,
    min: 100,
    help: 'The time for an agent to connect to a destination.',
  },
});

const tokens: OptionsTable<TokenConfig> = optionGroup('Tokens of agents', {
  agentNamespace: {
    flag: 'agent-namespace',
    type: 'string',
    help: 'The namespace of the service account of agents.',
  },
  agentServiceAccount: {
    flag: 'agent-service-account',
    type: 'string',
    help: 'The name of the service account of agents.',
  },
  authenticationAudience: {
    flag: 'authentication-audience',
    type: 'string',
    help: 'The audience of the tokens of agents.',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    help: 'The kubeconfig for TokenReviews and leases; by default that of the Pod.',
  },
});

const monitors = monitorOptions({
  healthHost: 'health-bind-address',
  healthPort: ['health-port', 8092],
  adminPort: ['admin-port', 8095, '/metrics and /debug/agents'],
});

const leases: OptionsTable<LeasesConfig> = optionGroup('Leases', {
  enableLeaseController: {
    flag: 'enable-lease-controller',
    type: 'bool',
    default: false,
    help: 'Keep a Lease, so that agents can count the servers.',
  },
  ...leaseOptions,
});

const tls: OptionsTable<TlsConfig> = optionGroup('TLS', {
  cipherSuites: {
    flag: 'cipher-suites',
    type: 'list',
    default: [],
    help: "Cipher suites of TLS 1.2, by Go's names, such as TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256; those of Node by default. The suites of TLS 1.3 are always accepted.",
  },
  tlsMinVersion: {
    flag: 'tls-min-version',
    type: 'string',
    default: 'VersionTLS12',
    choices: ['VersionTLS12', 'VersionTLS13'],
    help: 'The oldest version of TLS.',
  },
});

/** The options of a Konnectivity server. Names of upstream's flags have their meaning. */
export const konnectivityServerOptions: OptionsTable<KonnectivityServerConfig> = {
  ...frontend,
  ...agents,
  ...tokens,
  ...monitors,
  ...leases,
  ...tls,
  ...logOptions,
  ...watchdogOptions,
};

/** Flags of upstream's server that are not options. */
export const upstreamServerFlags = upstreamFlags({
  'frontend-keepalive-time': acceptedFlag(
    'value',
    'Connections of the API server are on the same machine, or end by TCP keepalive.',
  ),
  'kubeconfig-qps': acceptedFlag('value', 'TokenReviews are cached.'),
  'kubeconfig-burst': acceptedFlag('value', 'TokenReviews are cached.'),
});
