import type { Authenticated, Authenticator } from '../types.ts';

/** The group of everybody whose credentials were checked. */
export const authenticatedGroup = 'system:authenticated';
/** The group of everybody else. */
export const unauthenticatedGroup = 'system:unauthenticated';
/** The user of requests without credentials. */
export const anonymousUser = 'system:anonymous';

const answer: Authenticated = {
  user: { name: anonymousUser, groups: [unauthenticatedGroup], extra: {} },
  by: 'anonymous',
};

/** Lets requests for these paths in as `system:anonymous`; every request, where there is none. */
export const anonymousOn = (paths: readonly string[]): Authenticator =>
  paths.length === 0
    ? anonymousAuthenticator
    : {
        name: 'anonymous',
        authenticate: ({ path }) => (path !== undefined && paths.includes(path) ? answer : undefined),
      };

/** Lets every request in as `system:anonymous`; stands last, for requests that nobody else knows. */
export const anonymousAuthenticator: Authenticator = { name: 'anonymous', authenticate: () => answer };
