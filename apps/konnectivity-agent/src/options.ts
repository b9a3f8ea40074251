import {
  type ConflictCheck,
  type ForeignFlags,
  type LogConfig,
  logOptions,
  optionGroup,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { endpointRules } from './endpoints/endpoint-rules.ts';

interface ServersConfig {
  proxyServerHost: readonly string[];
  proxyServerPort: number;
  caCert: string | undefined;
  agentCert: string | undefined;
  agentKey: string | undefined;
  serviceAccountTokenPath: string | undefined;
  alpnProto: readonly string[];
  syncInterval: number;
  syncIntervalCap: number;
  syncForever: boolean;
  keepaliveTime: number;
  keepaliveTimeout: number;
  gracefulShutdownTimeout: number;
}

interface IdentityConfig {
  agentId: string | undefined;
  agentIdentifiers: string;
  allowDestinations: readonly string[];
}

interface LeaseConfig {
  countServerLeases: boolean;
  leaseNamespace: string;
  leaseLabel: string;
  kubeconfig: string | undefined;
  serverCountSource: string;
}

interface MonitorConfig {
  healthServerHost: string;
  healthServerPort: number;
  adminBindAddress: string;
  adminServerPort: number;
}

/** The configuration of a Konnectivity agent. */
export interface KonnectivityAgentConfig
  extends ServersConfig, IdentityConfig, LeaseConfig, MonitorConfig, LogConfig, WatchdogConfig {}

const port = (flag: string, value: number, help: string) =>
  ({ flag, type: 'int', default: value, min: 0, max: 65_535, help }) as const;

const servers: OptionsTable<ServersConfig> = optionGroup('Servers', {
  proxyServerHost: {
    flag: 'proxy-server-host',
    type: 'list',
    default: ['127.0.0.1'],
    help: 'The hosts of the servers. The agent connects to every address of every host.',
  },
  proxyServerPort: port('proxy-server-port', 8091, 'The port of the servers.'),
  caCert: {
    flag: 'ca-cert',
    type: 'path',
    help: 'The CAs of the certificates of servers; by default those of Node.',
  },
  agentCert: { flag: 'agent-cert', type: 'path', help: 'The certificate of the agent.' },
  agentKey: { flag: 'agent-key', type: 'path', help: 'Its key.' },
  serviceAccountTokenPath: {
    flag: 'service-account-token-path',
    type: 'path',
    help: 'The token that the agent sends to servers; read for each connection.',
  },
  alpnProto: {
    flag: 'alpn-proto',
    type: 'list',
    default: [],
    help: 'Further names of protocols in the TLS handshake, to share a port with the API server.',
  },
  syncInterval: {
    flag: 'sync-interval',
    type: 'duration',
    default: 1_000,
    min: 10,
    help: 'The first interval at which missing servers are looked for.',
  },
  syncIntervalCap: {
    flag: 'sync-interval-cap',
    type: 'duration',
    default: 10_000,
    min: 10,
    help: 'The longest of these intervals.',
  },
  syncForever: {
    flag: 'sync-forever',
    type: 'bool',
    default: false,
    help: 'Look for further servers at every interval, even if none is missing.',
  },
  keepaliveTime: {
    flag: 'keepalive-time',
    type: 'duration',
    default: 2_000,
    min: 100,
    help: 'The time without a byte after which a server is pinged. A server of upstream is pinged after 31 s at the earliest.',
  },
  keepaliveTimeout: {
    flag: 'keepalive-timeout',
    type: 'duration',
    default: 3_000,
    min: 100,
    help: 'The time for the response to a ping; then the server is disconnected.',
  },
  gracefulShutdownTimeout: {
    flag: 'graceful-shutdown-timeout',
    type: 'duration',
    default: 20_000,
    min: 0,
    help: 'The time that open connections have after SIGTERM; a second SIGTERM ends them.',
  },
});

const identity: OptionsTable<IdentityConfig> = optionGroup('Agent', {
  agentId: {
    flag: 'agent-id',
    env: 'PROXY_AGENT_ID',
    type: 'string',
    help: 'The name of this agent for servers; by default a new UUID.',
  },
  agentIdentifiers: {
    flag: 'agent-identifiers',
    type: 'string',
    default: '',
    help: 'What the agent can reach, for the strategies of servers: ipv4, ipv6, host, cidr and default-route as a URL query.',
  },
  allowDestinations: {
    flag: 'allow-destinations',
    type: 'list',
    default: [],
    help: 'Destinations: host names, *.DOMAIN for subdomains, addresses or networks, each with :PORT or for every port. By default every address that is neither loopback nor link-local.',
  },
});

const leases: OptionsTable<LeaseConfig> = optionGroup('Leases', {
  countServerLeases: {
    flag: 'count-server-leases',
    type: 'bool',
    default: false,
    help: 'Count the servers by their Leases.',
  },
  leaseNamespace: {
    flag: 'lease-namespace',
    type: 'string',
    default: 'kube-system',
    help: 'The namespace of the Leases.',
  },
  leaseLabel: {
    flag: 'lease-label',
    type: 'string',
    default: 'k8s-app=konnectivity-server',
    help: 'The label of the Leases.',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    help: 'The kubeconfig for Leases; by default that of the Pod.',
  },
  serverCountSource: {
    flag: 'server-count-source',
    type: 'string',
    default: 'default',
    choices: ['default', 'max'],
    help: 'The number of servers: by Leases, or else the number that servers announce; or the larger of both.',
  },
});

const monitors: OptionsTable<MonitorConfig> = optionGroup('Health', {
  healthServerHost: {
    flag: 'health-server-host',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of the health port.',
  },
  healthServerPort: port(
    'health-server-port',
    8093,
    'The port of /healthz, /readyz and /metrics; 0 selects a free one.',
  ),
  adminBindAddress: {
    flag: 'admin-bind-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of the admin port.',
  },
  adminServerPort: port('admin-server-port', 8094, 'The port of /metrics; 0 selects a free one.'),
});

/** The options of a Konnectivity agent. Names of upstream's flags have their meaning. */
export const konnectivityAgentOptions: OptionsTable<KonnectivityAgentConfig> = {
  ...servers,
  ...identity,
  ...leases,
  ...monitors,
  ...logOptions,
  ...watchdogOptions,
};

const accepted = (type: 'bool' | 'value', why: string) => ({ type, fate: 'accepted', why }) as const;
const refused = (type: 'bool' | 'value', why: string) => ({ type, fate: 'refused', why }) as const;
const noProfiles = 'there are no profiles';

/** Flags of upstream's agent that are not options. */
export const upstreamAgentFlags: ForeignFlags = new Map(
  Object.entries({
    logtostderr: accepted('bool', 'Logs are written to standard error.'),
    alsologtostderr: accepted('bool', 'Logs are written to standard error.'),
    v: accepted('value', '`--log-level` selects what is logged.'),
    'kube-api-content-type': accepted('value', 'Requests are JSON.'),
    'probe-interval': accepted('value', 'A disconnection is noticed at once.'),
    'xfr-channel-size': accepted('value', 'Queues are bounded by bytes.'),
    'warn-on-channel-limit': accepted('bool', 'Queues are bounded by bytes.'),
    'enable-profiling': refused('bool', noProfiles),
    'enable-contention-profiling': refused('bool', noProfiles),
  }),
);

const identifierNames = new Set(['ipv4', 'ipv6', 'host', 'cidr', 'default-route']);

/** Checks rules between options. */
export const konnectivityAgentConflicts: ConflictCheck<KonnectivityAgentConfig> = (config) => {
  const { proxyServerHost, agentCert, agentKey, agentIdentifiers, allowDestinations } = config;
  const problems: string[] = [];
  if (proxyServerHost.length === 0) problems.push('--proxy-server-host names no server');
  if ((agentCert === undefined) !== (agentKey === undefined))
    problems.push('--agent-cert and --agent-key require each other');
  for (const name of new URLSearchParams(agentIdentifiers).keys())
    if (!identifierNames.has(name)) problems.push(`agent address is invalid: unknown address type: ${name}`);
  try {
    endpointRules(allowDestinations);
  } catch (error) {
    problems.push(`--allow-destinations: ${(error as Error).message}`);
  }
  return problems;
};
