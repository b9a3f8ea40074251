import {
  type ConflictCheck,
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
  leaseLabelProblems,
  leaseOptions,
  type MonitorConfig,
  monitorOptions,
  type PeerConfig,
  peerOptions,
  queryProblem,
  upstreamFlags,
} from '@annex/tunnel';
import { endpointRules } from './endpoints/endpoint-rules.ts';

interface ServersConfig extends PeerConfig {
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
}

interface IdentityConfig {
  agentId: string | undefined;
  agentIdentifiers: string;
  allowDestinations: readonly string[];
}

interface LeasesConfig extends LeaseConfig {
  countServerLeases: boolean;
  kubeconfig: string | undefined;
  serverCountSource: string;
}

/** The configuration of a Konnectivity agent. */
export interface KonnectivityAgentConfig
  extends ServersConfig, IdentityConfig, LeasesConfig, MonitorConfig, LogConfig, WatchdogConfig {}

const servers: OptionsTable<ServersConfig> = optionGroup('Servers', {
  proxyServerHost: {
    flag: 'proxy-server-host',
    type: 'list',
    default: ['127.0.0.1'],
    help: 'The hosts of the servers. The agent connects to every address of every host.',
  },
  proxyServerPort: portOption('proxy-server-port', 8091, 'The port of the servers.'),
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
  ...peerOptions('server', ' A server of upstream is pinged every 31 s at most.'),
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

const leases: OptionsTable<LeasesConfig> = optionGroup('Leases', {
  countServerLeases: {
    flag: 'count-server-leases',
    type: 'bool',
    default: false,
    help: 'Count the servers by their Leases.',
  },
  ...leaseOptions,
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

const monitors = monitorOptions({
  healthHost: 'health-server-host',
  healthPort: ['health-server-port', 8093],
  adminPort: ['admin-server-port', 8094, '/metrics'],
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

/** Flags of upstream's agent that are not options. */
export const upstreamAgentFlags = upstreamFlags({
  'probe-interval': acceptedFlag('value', 'A disconnection is noticed at once.'),
});

const identifierNames = new Set(['ipv4', 'ipv6', 'host', 'cidr', 'default-route']);

/** Checks rules between options. */
export const konnectivityAgentConflicts: ConflictCheck<KonnectivityAgentConfig> = (config) => {
  const { proxyServerHost, agentCert, agentKey, agentIdentifiers, allowDestinations } = config;
  const problems = leaseLabelProblems(config.leaseLabel);
  if (proxyServerHost.length === 0) problems.push('--proxy-server-host names no server');
  if (agentCert === undefined && agentKey !== undefined)
    problems.push(`cannot have agent cert empty when agent key is set to ${JSON.stringify(agentKey)}`);
  if (agentCert !== undefined && agentKey === undefined)
    problems.push(`cannot have agent key empty when agent cert is set to ${JSON.stringify(agentCert)}`);
  if (config.proxyServerPort === 0) problems.push('proxy server port 0 must be greater than 0');
  if (config.syncInterval > config.syncIntervalCap)
    problems.push('--sync-interval must not be more than --sync-interval-cap');
  const problem = identifiersProblem(agentIdentifiers);
  if (problem !== undefined) problems.push(`agent address is invalid: ${problem}`);
  try {
    endpointRules(allowDestinations);
  } catch (error) {
    problems.push(`--allow-destinations: ${(error as Error).message}`);
  }
  return problems;
};

function identifiersProblem(text: string): string | undefined {
  const unknown = [...new URLSearchParams(text).keys()].find((name) => !identifierNames.has(name));
  return queryProblem(text) ?? (unknown === undefined ? undefined : `unknown address type: ${unknown}`);
}
