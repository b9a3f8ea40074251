import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';
import { IpRange } from './ip-range.ts';

/** The range of the cluster addresses of Services. */
export interface ServiceRangeConfig {
  serviceClusterIpRange: string;
}

/** kube-apiserver's option of that name. */
export const serviceRangeOptions: OptionsTable<ServiceRangeConfig> = optionGroup('APIs', {
  serviceClusterIpRange: {
    flag: 'service-cluster-ip-range',
    type: 'string',
    default: '10.0.0.0/16',
    help: 'Cluster addresses of Services are taken from here.',
  },
});

/** Rejects values that are not address ranges. */
export const serviceRangeConflicts: ConflictCheck<ServiceRangeConfig> = ({ serviceClusterIpRange }) => {
  try {
    return new IpRange(serviceClusterIpRange) && [];
  } catch (error) {
    return [`--service-cluster-ip-range: ${(error as Error).message}`];
  }
};
