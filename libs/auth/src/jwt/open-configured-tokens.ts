import type { LiveText } from '@annex/runtime';
import type { AuthenticationConfiguration } from './configuration.ts';
import type { ConfiguredTokens, ConfiguredTokensOptions } from './configured-tokens.ts';

export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  JwtConfiguration,
} from './configuration.ts';

/** All signature algorithms that a token may have. */
export const jwtAlgorithms: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/**
 * Knows the tokens of a configuration, or of a file with one. Nothing of it is loaded before. Rejects with
 * `ConfigurationError` where it does not hold.
 */
export async function openConfiguredTokens(
  from: LiveText | AuthenticationConfiguration,
  options: ConfiguredTokensOptions,
): Promise<ConfiguredTokens> {
  const [{ ConfiguredTokens }, { decodeConfiguration }] = await Promise.all([
    import('./configured-tokens.ts'),
    import('./decode-configuration.ts'),
  ]);
  const configuration = 'jwt' in from ? from : await decodeConfiguration(from.current());
  return new ConfiguredTokens(configuration, options);
}
