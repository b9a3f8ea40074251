import { isIP } from 'node:net';
import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** Where clients reach the system, as it tells them. */
export interface AdvertiseConfig {
  advertiseAddress: string;
  advertisePort: number;
}

/** kube-apiserver's option with that name, and the port that belongs to it. */
export const advertiseOptions: OptionsTable<AdvertiseConfig> = {
  advertiseAddress: {
    flag: 'advertise-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The IP address under which clients reach the front proxy.',
  },
  advertisePort: {
    flag: 'advertise-port',
    type: 'int',
    default: 6443,
    min: 1,
    max: 65535,
    help: 'The port under which clients reach the front proxy.',
  },
};

/** Refuses what is no address. */
export const advertiseConflicts: ConflictCheck<{ advertiseAddress: string | undefined }> = ({
  advertiseAddress: address,
}) =>
  address === undefined || isIP(address) > 0 ? [] : [`--advertise-address: ${address} is no IP address`];
