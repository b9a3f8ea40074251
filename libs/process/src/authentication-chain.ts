import {
  alwaysAllowPaths,
  type Authenticator,
  type Authorizer,
  requestHeaderAuthenticator,
  unionAuthenticator,
  unionAuthorizer,
  x509Authenticator,
} from '@annex/auth';
import type { Identities } from './identities.ts';
import type { ServerConfig } from './options.ts';
import type { ClientAuthentication } from './program.ts';

/**
 * Creates the authenticator of a server. Request headers come first: a certificate of their CA never names a
 * user itself.
 */
export function serverAuthenticator(
  config: ServerConfig,
  { clientCa, requestheaderCa }: Pick<Identities, 'clientCa' | 'requestheaderCa'>,
  { authenticators, anonymous, behindFrontProxy }: ClientAuthentication,
): Authenticator {
  const list: Authenticator[] = [];
  if (requestheaderCa !== undefined) {
    list.push(
      requestHeaderAuthenticator({
        caPem: requestheaderCa,
        allowedNames: config.requestheaderAllowedNames,
        usernameHeaders: config.requestheaderUsernameHeaders,
        groupHeaders: config.requestheaderGroupHeaders,
        uidHeaders: config.requestheaderUidHeaders,
        extraHeadersPrefix: config.requestheaderExtraHeadersPrefix,
        keepsEmptyGroups: behindFrontProxy,
      }),
    );
  }
  if (clientCa !== undefined) list.push(x509Authenticator({ caPem: clientCa }));
  list.push(...authenticators);
  return unionAuthenticator(list, anonymous);
}

/**
 * Creates the authorizer of a server: all users may get the paths of an option, the configured authorizers
 * decide all other requests.
 */
export const serverAuthorizer = (
  {
    authorizationAlwaysAllowPaths: paths,
  }: ServerConfig & { authorizationAlwaysAllowPaths?: readonly string[] },
  system: Authorizer,
): Authorizer => (paths === undefined ? system : unionAuthorizer([alwaysAllowPaths(...paths), system]));
