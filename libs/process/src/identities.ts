import {
  alwaysAllowPaths,
  anonymousAuthenticator,
  type Authenticator,
  type Authorizer,
  requestHeaderAuthenticator,
  unionAuthenticator,
  unionAuthorizer,
  x509Authenticator,
} from '@annex/auth';
import type { LiveText } from '@annex/runtime';
import type { StandaloneConfig } from './options.ts';
import type { StandaloneParts } from './standalone.ts';

/** The authorities that a process trusts, PEM. */
export interface Authorities {
  clientCa: LiveText | undefined;
  requestheaderCa: LiveText | undefined;
}

/** Who clients are. Request headers come first: a certificate of their authority is never taken for a client's own. */
export function standaloneAuthenticator(
  config: StandaloneConfig,
  { clientCa, requestheaderCa }: Authorities,
  {
    authenticators = [],
    anonymous,
    facesClients = false,
  }: Pick<StandaloneParts, 'authenticators' | 'anonymous' | 'facesClients'>,
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
        keepsEmptyGroups: !facesClients,
      }),
    );
  }
  if (clientCa !== undefined) list.push(x509Authenticator({ caPem: clientCa }));
  list.push(...authenticators);
  const last = anonymous ?? (config.anonymousAuth === false ? 'nobody' : anonymousAuthenticator);
  return unionAuthenticator(list, last === 'nobody' ? undefined : last);
}

/** Who may do what at this process: some paths are for everybody, the rest is as in the system. */
export const standaloneAuthorizer = (config: StandaloneConfig, system: Authorizer): Authorizer =>
  unionAuthorizer([alwaysAllowPaths(...config.authorizationAlwaysAllowPaths), system]);
