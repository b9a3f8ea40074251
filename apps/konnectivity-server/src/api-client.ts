import { Client, inClusterConfig, loadKubeconfig } from '@annex/client';
import { OperatorError } from '@annex/runtime';

/** Returns a client of the API server: by a kubeconfig, or by the service account of the Pod. Throws OperatorError. */
export async function apiClient(kubeconfig: string | undefined): Promise<Client> {
  const access = kubeconfig === undefined ? inClusterConfig() : await loadKubeconfig(kubeconfig);
  if (access !== undefined) return new Client(access);
  throw new OperatorError('OPTION_CONFLICT', 'tokens and leases require --kubeconfig outside of a Pod');
}
