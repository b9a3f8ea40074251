import { optionGroup, type OptionsTable, portOption } from '@annex/runtime';

/** How a program of a tunnel treats its peers, and how it stops. Times are milliseconds. */
export interface PeerConfig {
  keepaliveTime: number;
  keepaliveTimeout: number;
  gracefulShutdownTimeout: number;
}

/** The options of {@link PeerConfig}. `pinged` ends the help of the keepalive. */
export const peerOptions = (peer: 'agent' | 'server', pinged = ''): OptionsTable<PeerConfig> => ({
  keepaliveTime: {
    flag: 'keepalive-time',
    type: 'duration',
    default: 2_000,
    min: 100,
    help: `The time between two pings of ${article(peer)}.${pinged}`,
  },
  keepaliveTimeout: {
    flag: 'keepalive-timeout',
    type: 'duration',
    default: 3_000,
    min: 100,
    help: `The time for the response to a ping; then the ${peer} is disconnected.`,
  },
  gracefulShutdownTimeout: {
    flag: 'graceful-shutdown-timeout',
    type: 'duration',
    default: 20_000,
    min: 0,
    help: 'The time that open connections have after SIGTERM; a second SIGTERM ends them.',
  },
});

const article = (peer: string): string => (peer === 'agent' ? `an ${peer}` : `a ${peer}`);

/** Where the Leases of servers are. */
export interface LeaseConfig {
  leaseNamespace: string;
  leaseLabel: string;
}

/** The options of {@link LeaseConfig}. */
export const leaseOptions: OptionsTable<LeaseConfig> = {
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
    help: 'The labels of the Leases of all servers: key=value, several with commas between them.',
  },
};

/** The ports with health, metrics and the state of a program. */
export interface MonitorConfig {
  healthHost: string;
  healthPort: number;
  adminHost: string;
  adminPort: number;
}

/** The flags of {@link MonitorConfig}, which differ between upstream's programs. */
export interface MonitorFlags {
  healthHost: string;
  healthPort: readonly [flag: string, port: number];
  adminPort: readonly [flag: string, port: number, pages: string];
}

const loopback = (flag: string, help: string) =>
  ({ flag, type: 'string', default: '127.0.0.1', help }) as const;

/** The options of {@link MonitorConfig}. */
export const monitorOptions = ({ healthHost, healthPort, adminPort }: MonitorFlags) =>
  optionGroup<OptionsTable<MonitorConfig>>('Health', {
    healthHost: loopback(healthHost, 'The address of the health port.'),
    healthPort: portOption(
      ...healthPort,
      'The port of /healthz, /readyz and /metrics; 0 selects a free one.',
    ),
    adminHost: loopback('admin-bind-address', 'The address of the admin port.'),
    adminPort: portOption(adminPort[0], adminPort[1], `The port of ${adminPort[2]}; 0 selects a free one.`),
  });
