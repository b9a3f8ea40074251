import { type ConnectionLimits, defaultConnectionLimits } from './connection-limiter.ts';
import { optionGroup, type OptionsTable } from './options.ts';

/** The connection limits of a listener, for every process that listens. */
export const connectionLimitOptions: OptionsTable<ConnectionLimits> = optionGroup('Limits', {
  maxConnections: {
    flag: 'max-connections',
    type: 'int',
    default: defaultConnectionLimits.maxConnections,
    min: 0,
    help: 'Maximum number of connections, at most a quarter of them without an authenticated user; 0 for no limit.',
  },
  maxConnectionsPerAddress: {
    flag: 'max-connections-per-address',
    type: 'int',
    default: defaultConnectionLimits.maxConnectionsPerAddress,
    min: 0,
    help: 'Maximum number of connections from one IPv4 address or one IPv6 /64 network, including the loopback address; 0 for no limit.',
  },
});
