import {
  type ForeignFlags,
  type LogConfig,
  logOptions,
  optionGroup,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
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

interface AgentsConfig {
  agentPort: number;
  agentBindAddress: string;
  clusterCert: string | undefined;
  clusterKey: string | undefined;
  clusterCaCert: string | undefined;
  proxyStrategies: readonly string[];
  serverId: string | undefined;
  serverCount: number;
  keepaliveTime: number;
  keepaliveTimeout: number;
  backendDialTimeout: number;
  gracefulShutdownTimeout: number;
}

interface TokenConfig {
  agentNamespace: string | undefined;
  agentServiceAccount: string | undefined;
  authenticationAudience: string | undefined;
  kubeconfig: string | undefined;
}

interface MonitorConfig {
  healthPort: number;
  healthBindAddress: string;
  adminPort: number;
  adminBindAddress: string;
}

interface LeaseConfig {
  enableLeaseController: boolean;
  leaseNamespace: string;
  leaseLabel: string;
}

interface TlsConfig {
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
    LeaseConfig,
    TlsConfig,
    LogConfig,
    WatchdogConfig {}

const port = (flag: string, value: number, help: string) =>
  ({ flag, type: 'int', default: value, min: 0, max: 65_535, help }) as const;

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
  serverPort: port('server-port', 8090, 'The TCP port for the API server; 0 for none.'),
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
  agentPort: port('agent-port', 8091, 'The port for agents.'),
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
  keepaliveTime: {
    flag: 'keepalive-time',
    type: 'duration',
    default: 2_000,
    min: 100,
    help: 'The time without a byte after which an agent is pinged.',
  },
  keepaliveTimeout: {
    flag: 'keepalive-timeout',
    type: 'duration',
    default: 3_000,
    min: 100,
    help: 'The time for the response to a ping; then the agent is disconnected.',
  },
  backendDialTimeout: {
    flag: 'backend-dial-timeout',
    type: 'duration',
    default: backendDialTimeoutMs,
    min: 100,
    help: 'The time for an agent to connect to a destination.',
  },
  gracefulShutdownTimeout: {
    flag: 'graceful-shutdown-timeout',
    type: 'duration',
    default: 20_000,
    min: 0,
    help: 'The time that open connections have after SIGTERM; a second SIGTERM ends them.',
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

const monitors: OptionsTable<MonitorConfig> = optionGroup('Health', {
  healthPort: port('health-port', 8092, 'The port of /healthz, /readyz and /metrics; 0 selects a free one.'),
  healthBindAddress: {
    flag: 'health-bind-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of this port.',
  },
  adminPort: port('admin-port', 8095, 'The port of /metrics and /debug/agents; 0 selects a free one.'),
  adminBindAddress: {
    flag: 'admin-bind-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of this port.',
  },
});

const leases: OptionsTable<LeaseConfig> = optionGroup('Leases', {
  enableLeaseController: {
    flag: 'enable-lease-controller',
    type: 'bool',
    default: false,
    help: 'Keep a Lease, so that agents can count the servers.',
  },
  leaseNamespace: {
    flag: 'lease-namespace',
    type: 'string',
    default: 'kube-system',
    help: 'The namespace of the Lease.',
  },
  leaseLabel: {
    flag: 'lease-label',
    type: 'string',
    default: 'k8s-app=konnectivity-server',
    help: 'The label of the Leases of all servers.',
  },
});

const tls: OptionsTable<TlsConfig> = optionGroup('TLS', {
  cipherSuites: {
    flag: 'cipher-suites',
    type: 'list',
    default: [],
    help: "Cipher suites of TLS 1.2 by OpenSSL's names; by default those of Node.",
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

const accepted = (type: 'bool' | 'value', why: string) => ({ type, fate: 'accepted', why }) as const;
const refused = (why: string) => ({ type: 'bool', fate: 'refused', why }) as const;
const noProfiles = 'there are no profiles';

/** Flags of upstream's server that are not options. */
export const upstreamServerFlags: ForeignFlags = new Map(
  Object.entries({
    logtostderr: accepted('bool', 'Logs are written to standard error.'),
    alsologtostderr: accepted('bool', 'Logs are written to standard error.'),
    v: accepted('value', '`--log-level` selects what is logged.'),
    'frontend-keepalive-time': accepted(
      'value',
      'Connections of the API server are on the same machine, or end by TCP keepalive.',
    ),
    'kubeconfig-qps': accepted('value', 'TokenReviews are cached.'),
    'kubeconfig-burst': accepted('value', 'TokenReviews are cached.'),
    'kube-api-content-type': accepted('value', 'Requests are JSON.'),
    'xfr-channel-size': accepted('value', 'Queues are bounded by bytes.'),
    'warn-on-channel-limit': accepted('bool', 'Queues are bounded by bytes.'),
    'enable-profiling': refused(noProfiles),
    'enable-contention-profiling': refused(noProfiles),
  }),
);
