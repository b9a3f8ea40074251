import { isIP } from 'node:net';
import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';

/** The address of the system that it publishes to clients. */
export interface AdvertiseConfig {
  advertiseAddress: string;
  advertisePort: number;
}

/** kube-apiserver's option with that name, and its port. */
export const advertiseOptions: OptionsTable<AdvertiseConfig> = optionGroup('Serving', {
  advertiseAddress: {
    flag: 'advertise-address',
    type: 'string',
    default: '127.0.0.1',
    help: 'The IP address at which clients reach the front proxy.',
  },
  advertisePort: {
    flag: 'advertise-port',
    type: 'int',
    default: 6443,
    min: 1,
    max: 65535,
    help: 'The port at which clients reach the front proxy.',
  },
});

/** Returns the error of an invalid address. */
export const advertiseConflicts: ConflictCheck<{ advertiseAddress: string | undefined }> = ({
  advertiseAddress: address,
}) =>
  address === undefined || isIP(address) > 0 ? [] : [`--advertise-address: ${address} is not an IP address`];
