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

/** Whoever may do everything where `allowMasters` decides. */
export const administrator = (name = 'admin'): UserInfo => ({
  name,
  groups: [privilegedGroup, 'system:authenticated'],
  extra: {},
});

/** Whoever says a name in a bearer token is an administrator of that name. */
export const tokenIsName: Authenticator = unionAuthenticator([
  bearerTokenAuthenticator([
    { name: 'test', authenticateToken: (token) => ({ user: administrator(token), by: 'test' }) },
  ]),
]);

/** Takes every client for the same user. */
export const authenticateAs = (user: UserInfo): Authenticator => ({
  name: 'test',
  authenticate: () => ({ user, by: 'test' }),
});

/** Allows everything to administrators and nothing to others. */
export const allowMasters: Authorizer = unionAuthorizer([alwaysAllowGroups(privilegedGroup)]);
