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

interface ConfigurationConfig {
  config: string | undefined;
  kubeconfig: string | undefined;
  master: string;
  plugin: readonly string[];
  acceptEarlierConfig: boolean;
  writeConfigTo: string | undefined;
  featureGates: Readonly<Record<string, string>>;
  podMaxInUnschedulablePodsDuration: number;
  kubeApiQps: string | undefined;
  kubeApiBurst: number | undefined;
}

interface LeaderElectionFlags {
  leaderElect: boolean | undefined;
  leaderElectLeaseDuration: number | undefined;
  leaderElectRenewDeadline: number | undefined;
  leaderElectRetryPeriod: number | undefined;
  leaderElectResourceLock: string | undefined;
  leaderElectResourceName: string | undefined;
  leaderElectResourceNamespace: string | undefined;
}

interface SecureServingConfig {
  bindAddress: string;
  securePort: number;
  tlsCertFile: string | undefined;
  tlsPrivateKeyFile: string | undefined;
}

interface DelegationConfig {
  authenticationKubeconfig: string | undefined;
  authenticationSkipLookup: boolean;
  authenticationTolerateLookupFailure: boolean;
  authorizationKubeconfig: string | undefined;
  authorizationAlwaysAllowPaths: readonly string[];
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
}

/** The configuration of the process of a scheduler. */
export interface SchedulerProcessConfig
  extends
    ConfigurationConfig,
    LeaderElectionFlags,
    SecureServingConfig,
    DelegationConfig,
    LogConfig,
    WatchdogConfig {}

const configuration: OptionsTable<ConfigurationConfig> = optionGroup('Configuration', {
  config: {
    flag: 'config',
    type: 'path',
    help: 'A KubeSchedulerConfiguration. Options of leader election have priority over it.',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    help: 'The kubeconfig of the API server; ignored with --config. By default that of the Pod.',
  },
  master: {
    flag: 'master',
    type: 'string',
    default: '',
    help: 'The URL of the API server; replaces that of the kubeconfig.',
  },
  plugin: {
    flag: 'plugin',
    type: 'list',
    default: [],
    help: 'Modules whose exports are further plugins: files, or names of packages.',
  },
  acceptEarlierConfig: {
    flag: 'accept-earlier-config',
    type: 'bool',
    default: false,
    help: 'Accept configurations of the versions v1beta2 and v1beta3, as the documentation shows them.',
  },
  writeConfigTo: {
    flag: 'write-config-to',
    type: 'path',
    help: 'Write the configuration with all defaults to this file, and exit.',
  },
  featureGates: {
    flag: 'feature-gates',
    type: 'map',
    default: {},
    help: 'Feature gates of kube-scheduler 1.36, such as DRADeviceTaints=false. Those of other components have no effect.',
  },
  podMaxInUnschedulablePodsDuration: {
    flag: 'pod-max-in-unschedulable-pods-duration',
    type: 'duration',
    default: 300_000,
    min: 1_000,
    help: 'The time after which a Pod is tried again even if nothing changed.',
  },
  kubeApiQps: {
    flag: 'kube-api-qps',
    type: 'string',
    help: 'Requests a second that are sent to the API server; ignored with --config. By default the rate is not limited.',
  },
  kubeApiBurst: {
    flag: 'kube-api-burst',
    type: 'int',
    help: 'Requests that are sent at once after a pause, with --kube-api-qps; 100 by default.',
  },
});

const leaderElection: OptionsTable<LeaderElectionFlags> = optionGroup('Leader election', {
  leaderElect: {
    flag: 'leader-elect',
    type: 'bool',
    help: 'Schedule only while this process is the leader; by default as configured, or else true.',
  },
  leaderElectLeaseDuration: {
    flag: 'leader-elect-lease-duration',
    type: 'duration',
    help: 'The time after which another process takes over a lease that is not renewed; 15 s by default.',
  },
  leaderElectRenewDeadline: {
    flag: 'leader-elect-renew-deadline',
    type: 'duration',
    help: 'The time after which a leader gives up renewing; 10 s by default.',
  },
  leaderElectRetryPeriod: {
    flag: 'leader-elect-retry-period',
    type: 'duration',
    help: 'The time between attempts; 2 s by default.',
  },
  leaderElectResourceLock: {
    flag: 'leader-elect-resource-lock',
    type: 'string',
    help: 'The kind of the lock: leases.',
  },
  leaderElectResourceName: {
    flag: 'leader-elect-resource-name',
    type: 'string',
    help: 'The name of the Lease; kube-scheduler by default.',
  },
  leaderElectResourceNamespace: {
    flag: 'leader-elect-resource-namespace',
    type: 'string',
    help: 'The namespace of the Lease; kube-system by default.',
  },
});

const serving: OptionsTable<SecureServingConfig> = optionGroup('Serving', {
  bindAddress: {
    flag: 'bind-address',
    nonEmpty: true,
    type: 'string',
    default: '127.0.0.1',
    help: 'The address of the health port.',
  },
  securePort: {
    flag: 'secure-port',
    type: 'int',
    default: 10_259,
    help: 'The port of health, metrics and pages such as /configz; 0 for none.',
  },
  tlsCertFile: {
    flag: 'tls-cert-file',
    type: 'path',
    help: 'The certificate; by default a new one that signs itself.',
  },
  tlsPrivateKeyFile: { flag: 'tls-private-key-file', type: 'path', help: 'Its key.' },
});

const delegation: OptionsTable<DelegationConfig> = optionGroup('Authentication and authorization', {
  authenticationKubeconfig: {
    flag: 'authentication-kubeconfig',
    type: 'path',
    help: 'The kubeconfig for TokenReviews and the CAs of clients; without it, clients are anonymous.',
  },
  authenticationSkipLookup: {
    flag: 'authentication-skip-lookup',
    type: 'bool',
    default: false,
    help: 'Do not read the CAs of clients from the API server.',
  },
  authenticationTolerateLookupFailure: {
    flag: 'authentication-tolerate-lookup-failure',
    type: 'bool',
    default: true,
    help: 'Start even if the CAs of clients cannot be read; they are used as soon as they can.',
  },
  authorizationKubeconfig: {
    flag: 'authorization-kubeconfig',
    type: 'path',
    help: 'The kubeconfig for SubjectAccessReviews; without it, only the always allowed paths are served.',
  },
  authorizationAlwaysAllowPaths: {
    flag: 'authorization-always-allow-paths',
    type: 'list',
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that every client may read.',
  },
  clientCaFile: { flag: 'client-ca-file', type: 'path', help: 'Further CAs of client certificates.' },
  requestheaderClientCaFile: {
    flag: 'requestheader-client-ca-file',
    type: 'path',
    help: 'Further CAs of authenticating proxies.',
  },
});

/** The options of a scheduler. Names of kube-scheduler flags have the meaning of those flags. */
export const schedulerOptions: OptionsTable<SchedulerProcessConfig> = {
  ...configuration,
  ...leaderElection,
  ...serving,
  ...delegation,
  ...logOptions,
  ...watchdogOptions,
};

const accepted = (type: 'bool' | 'value', why: string) => ({ type, fate: 'accepted', why }) as const;

/** Flags of kube-scheduler that are not options. */
export const kubeSchedulerFlags: ForeignFlags = new Map(
  Object.entries({
    v: accepted('value', '`--log-level` selects what is logged.'),
    vmodule: accepted('value', '`--log-level` selects what is logged.'),
    'logging-format': accepted('value', '`--log-format` selects the format.'),
    'log-flush-frequency': accepted('value', 'Logs are written at once.'),
    'kube-api-content-type': accepted('value', 'Requests are JSON.'),
    'cert-dir': accepted('value', 'A certificate without a file is kept in memory.'),
    profiling: accepted('bool', 'There are no profiles.'),
    'contention-profiling': accepted('bool', 'There are no profiles.'),
    'permit-port-sharing': accepted('bool', 'Ports are not shared.'),
    'permit-address-sharing': accepted('bool', 'Addresses are not shared.'),
    'authentication-token-webhook-cache-ttl': accepted('value', 'Tokens are cached for 10 s.'),
    'authorization-webhook-cache-authorized-ttl': accepted('value', 'Decisions are cached for 10 s.'),
    'authorization-webhook-cache-unauthorized-ttl': accepted('value', 'Decisions are cached for 10 s.'),
    'requestheader-allowed-names': accepted('value', 'The API server publishes the names.'),
    'requestheader-extra-headers-prefix': accepted('value', 'The API server publishes the names.'),
    'requestheader-group-headers': accepted('value', 'The API server publishes the names.'),
    'requestheader-uid-headers': accepted('value', 'The API server publishes the names.'),
    'requestheader-username-headers': accepted('value', 'The API server publishes the names.'),
    'tls-cipher-suites': accepted('value', 'The suites are those of Node.'),
    'tls-min-version': accepted('value', 'TLS 1.2 is the lowest version.'),
    'http2-max-streams-per-connection': accepted('value', 'The limit is that of every listener.'),
    'show-hidden-metrics-for-version': accepted('value', 'There are no hidden metrics.'),
    'disabled-metrics': accepted('value', 'All metrics are served.'),
    'allow-metric-labels': accepted('value', 'Labels are not limited.'),
    'allow-metric-labels-manifest': accepted('value', 'Labels are not limited.'),
    'emulated-version': accepted('value', 'The behavior is that of 1.36.'),
  }),
);

/** Checks rules between options. */
export const schedulerConflicts: ConflictCheck<SchedulerProcessConfig> = (config) =>
  (config.tlsCertFile === undefined) === (config.tlsPrivateKeyFile === undefined)
    ? []
    : ['missing filename for serving cert: --tls-cert-file and --tls-private-key-file must be set together'];
