import type { LiveText } from '@annex/runtime';
import type { AuthorizerChain, ChainDeps } from './authorizer-chain.ts';
import type { AuthorizationConfiguration } from './configuration.ts';

export type { AuthorizerChain, ChainDeps } from './authorizer-chain.ts';

/**
 * The authorizers of a configuration, or of a file with one, which is read again when it changes. Nothing of it is loaded
 * before. Rejects with `ConfigurationError` where it does not hold.
 */
export async function openAuthorizerChain(
  from: LiveText | AuthorizationConfiguration,
  deps: ChainDeps,
): Promise<AuthorizerChain> {
  const { authorizerChain } = await import('./authorizer-chain.ts');
  return await authorizerChain(from, deps);
}
