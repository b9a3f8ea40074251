import { Client, inClusterConfig, loadKubeconfig } from '@annex/client';
import { OperatorError, type Validated } from '@annex/runtime';
import type { KonnectivityServerConfig } from '../options.ts';
import type { AgentAuthenticator } from './serve-agents.ts';
import { createTokenAuthenticator } from './token-authenticator.ts';

/** Returns the authenticator of the options. Without those of tokens, TLS decides alone. */
export async function agentAuthenticator({
  agentNamespace,
  agentServiceAccount,
  authenticationAudience,
  kubeconfig,
}: Validated<KonnectivityServerConfig>): Promise<AgentAuthenticator> {
  if (!agentNamespace || !agentServiceAccount || !authenticationAudience) return async () => undefined;
  const access = kubeconfig === undefined ? inClusterConfig() : await loadKubeconfig(kubeconfig);
  if (access === undefined)
    throw new OperatorError('OPTION_CONFLICT', 'agent authentication requires --kubeconfig outside of a Pod');
  return createTokenAuthenticator(new Client(access), {
    namespace: agentNamespace,
    serviceAccount: agentServiceAccount,
    audience: authenticationAudience,
  });
}
