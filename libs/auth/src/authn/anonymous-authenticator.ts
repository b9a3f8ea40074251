import type { Authenticated, Authenticator } from '../types.ts';

/** The group of every user whose credentials were checked. */
export const authenticatedGroup = 'system:authenticated';
/** The group of every anonymous user. */
export const unauthenticatedGroup = 'system:unauthenticated';
/** The user of requests without credentials. */
export const anonymousUser = 'system:anonymous';

const anonymous: Authenticated = {
  user: { name: anonymousUser, groups: [unauthenticatedGroup], extra: {} },
  by: 'anonymous',
};

/** Admits requests for these paths as `system:anonymous`; every request, if the list is empty. */
export const anonymousOn = (paths: readonly string[]): Authenticator =>
  paths.length === 0
    ? anonymousAuthenticator
    : {
        name: 'anonymous',
        authenticate: ({ path }) => (path !== undefined && paths.includes(path) ? anonymous : undefined),
      };

/**
 * Admits every request as `system:anonymous`. It is the last authenticator, for requests without credentials.
 */
export const anonymousAuthenticator: Authenticator = { name: 'anonymous', authenticate: () => anonymous };
