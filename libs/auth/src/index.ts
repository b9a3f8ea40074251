export {
  type Attributes,
  type Authenticated,
  type Authenticator,
  type Authorizer,
  type Credentials,
  CredentialsError,
  type Decision,
  type UserInfo,
} from './types.ts';
