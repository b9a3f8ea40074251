import {
  alwaysAllowGroups,
  type Authenticator,
  type Authorizer,
  bearerTokenAuthenticator,
  privilegedGroup,
  unionAuthenticator,
  unionAuthorizer,
  type UserInfo,
} from '@annex/auth';

/** Returns a user with all permissions under `allowMasters`. */
export const administrator = (name = 'admin'): UserInfo => ({
  name,
  groups: [privilegedGroup, 'system:authenticated'],
  extra: {},
});

/** Accepts every bearer token as the name of an administrator. */
export const tokenIsName: Authenticator = unionAuthenticator([
  bearerTokenAuthenticator([
    { name: 'test', authenticateToken: (token) => ({ user: administrator(token), by: 'test' }) },
  ]),
]);

/** Authenticates every client as the same user. */
export const authenticateAs = (user: UserInfo): Authenticator => ({
  name: 'test',
  authenticate: () => ({ user, by: 'test' }),
});

/** Allows everything to administrators and nothing to others. */
export const allowMasters: Authorizer = unionAuthorizer([alwaysAllowGroups(privilegedGroup)]);
