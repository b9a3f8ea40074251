import { Client, inClusterConfig, loadKubeconfig } from '@annex/client';
import { OperatorError } from '@annex/runtime';
import { LeaseCounter, type LeaseCounterSetting } from './lease-counter.ts';

/** Returns a counter of leases at the API server of a kubeconfig, or of the Pod. Throws OperatorError. */
export async function openLeaseCounter(
  kubeconfig: string | undefined,
  setting: LeaseCounterSetting,
): Promise<LeaseCounter> {
  const access = kubeconfig === undefined ? inClusterConfig() : await loadKubeconfig(kubeconfig);
  if (access === undefined)
    throw new OperatorError(
      'OPTION_CONFLICT',
      '--count-server-leases requires --kubeconfig outside of a Pod',
    );
  return new LeaseCounter(new Client(access), setting);
}
