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

/** Lets every request in as `system:anonymous`; stands last, for requests that nobody else knows. */
export const anonymousAuthenticator: Authenticator = { name: 'anonymous', authenticate: () => answer };
