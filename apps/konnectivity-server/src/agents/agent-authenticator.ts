import type { Validated } from '@annex/runtime';
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
  // Loaded here, as the client of the API server takes memory that most servers do not need.
  const { apiClient } = await import('../api-client.ts');
  return createTokenAuthenticator(await apiClient(kubeconfig), {
    namespace: agentNamespace,
    serviceAccount: agentServiceAccount,
    audience: authenticationAudience,
  });
}
