import type { LiveText } from '@annex/runtime';
import type { AuthorizerChain, ChainDeps } from './authorizer-chain.ts';
import type { AuthorizationConfiguration } from './configuration.ts';

export type { AuthorizerChain, ChainDeps } from './authorizer-chain.ts';

/**
 * Creates the authorizers of a configuration, or of a file that is reloaded when it changes. Loads their
 * modules on the first call. Rejects with `ConfigurationError` if the configuration is invalid.
 */
export async function openAuthorizerChain(
  from: LiveText | AuthorizationConfiguration,
  deps: ChainDeps,
): Promise<AuthorizerChain> {
  const { authorizerChain } = await import('./authorizer-chain.ts');
  return await authorizerChain(from, deps);
}
