import type { Validated } from '@annex/runtime';
import { apiClient } from '../api-client.ts';
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
  return createTokenAuthenticator(await apiClient(kubeconfig), {
    namespace: agentNamespace,
    serviceAccount: agentServiceAccount,
    audience: authenticationAudience,
  });
}
