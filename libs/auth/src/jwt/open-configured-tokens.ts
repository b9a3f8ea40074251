import type { LiveText } from '@annex/runtime';
import type { AuthenticationConfiguration } from './configuration.ts';
import type { ConfiguredTokens, ConfiguredTokensOptions } from './configured-tokens.ts';

export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  JwtConfiguration,
} from './configuration.ts';

/** The signature algorithms that a token may have. */
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
 * Authenticates the tokens of a configuration, or of a file that is reloaded when it changes. Loads its
 * modules on the first call. Rejects with `ConfigurationError` if the configuration is invalid.
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
