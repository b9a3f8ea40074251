import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { IpRange } from './ip-range.ts';

/** Where the cluster addresses of Services come from. */
export interface ServiceRangeConfig {
  serviceClusterIpRange: string;
}

/** kube-apiserver's option with that name. */
export const serviceRangeOptions: OptionsTable<ServiceRangeConfig> = {
  serviceClusterIpRange: {
    flag: 'service-cluster-ip-range',
    type: 'string',
    default: '10.0.0.0/16',
    help: 'Cluster addresses of Services are taken from here.',
  },
};

/** Refuses what is no range of addresses. */
export const serviceRangeConflicts: ConflictCheck<ServiceRangeConfig> = ({ serviceClusterIpRange }) => {
  try {
    return new IpRange(serviceClusterIpRange) && [];
  } catch (error) {
    return [`--service-cluster-ip-range: ${(error as Error).message}`];
  }
};
