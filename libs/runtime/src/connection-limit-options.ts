import { type ConnectionLimits, defaultConnectionLimits } from './connection-limiter.ts';
import type { OptionsTable } from './options.ts';

/** The limits of a listener, in every process that listens. */
export const connectionLimitOptions: OptionsTable<ConnectionLimits> = {
  maxConnections: {
    flag: 'max-connections',
    type: 'int',
    default: defaultConnectionLimits.maxConnections,
    min: 0,
    help: 'How many connections are kept, a quarter of them at most without an authenticated user; 0 for no limit.',
  },
  maxConnectionsPerAddress: {
    flag: 'max-connections-per-address',
    type: 'int',
    default: defaultConnectionLimits.maxConnectionsPerAddress,
    min: 0,
    help: 'The same for one address of IPv4 or one /64 network of IPv6, the loopback address included; 0 for no limit.',
  },
};
