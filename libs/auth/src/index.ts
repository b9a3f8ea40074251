export {
  type Attributes,
  type Authenticated,
  type Authenticator,
  type Authorizer,
  type Credentials,
  type Attempt,
  CredentialsError,
  type Decision,
  type Explanation,
  type Remarks,
  type RuleExplanation,
  type UserInfo,
} from './types.ts';
export {
  ensureCertificates,
  ensurePki,
  ensureTokenKey,
  type PkiCA,
  type PkiCertificates,
  PkiError,
  type PkiFiles,
  type PkiOptions,
  type PkiPair,
  writeCertificate,
} from './pki/pki.ts';
export { readFileIfPresent, writeFileAtomically } from './pki/pki-files.ts';
export { openPkiDirectory, type PkiDirectory } from './pki/pki-directory.ts';
export {
  type CertificateAndKey,
  type ClientIdentity,
  issueClientCertificate,
  issueServingCertificate,
  createCA,
} from './pki/pki-certificate.ts';
export { kubeconfigText, type KubeconfigContent, writeKubeconfig } from './pki/kubeconfig-file.ts';
export { checkCertificateRequest, requestedOrganizations } from './authn/certificate-request.ts';
export { credentialIdKey, x509Authenticator, type X509Options } from './authn/x509-authenticator.ts';
export {
  requestHeaderAuthenticator,
  type RequestHeaderOptions,
} from './authn/request-header-authenticator.ts';
export { audienceAgnostic } from './authn/audience-agnostic.ts';
export { cachedTokens } from './authn/cached-tokens.ts';
export { bootstrapTokens } from './tokens/bootstrap-tokens.ts';
export { tokenFileTokens } from './tokens/token-file.ts';
export { webhookTokens, type WebhookTokensOptions } from './tokens/webhook-tokens.ts';
export {
  type AnonymousConfiguration,
  type AuthenticationConfiguration,
  jwtAlgorithms,
  type JwtConfiguration,
  openConfiguredTokens,
} from './jwt/open-configured-tokens.ts';
export type { ConfiguredTokens, ConfiguredTokensOptions } from './jwt/configured-tokens.ts';
export {
  anonymousAuthenticator,
  anonymousOn,
  anonymousUser,
  authenticatedGroup,
  unauthenticatedGroup,
} from './authn/anonymous-authenticator.ts';
export type { CaBundle } from './authn/peer-chain.ts';
export { requireCAs, shareCA } from './authn/certificate-chain.ts';
export { unionAuthenticator } from './authn/union-authenticator.ts';
export {
  type PolicyRule,
  type RbacBinding,
  rbacGroup,
  rbacPrefixes,
  type RbacRole,
  type RbacSubject,
  type RoleRef,
} from './authz/rbac-types.ts';
export type { RbacSource } from './authz/rbac-index.ts';
export {
  type RbacAuthorizer,
  rbacAuthorizer,
  type RuleResolver,
  type UserRules,
} from './authz/rbac-authorizer.ts';
export { alwaysAllowGroups, privilegedGroup, unionAuthorizer } from './authz/union-authorizer.ts';
export { type AuthorizerChain, type ChainDeps, openAuthorizerChain } from './authz/chain/open-chain.ts';
export type { AuthorizationConfiguration, WebhookConfiguration } from './authz/chain/configuration.ts';
export { aggregateText } from './aggregate-text.ts';
export { forbiddenMessage, forbiddenStatus, sanitized } from './authz/forbidden.ts';
export {
  ConfigurationError,
  type ConfigurationKind,
  namedString as configurationString,
  optional as configurationOptional,
  readConfiguration,
  readNestedConfiguration,
  readStruct as readConfigurationStruct,
  type Shape as ConfigurationShape,
  struct as configurationStruct,
  strictErrorText as strictConfigurationErrorText,
  type Struct as ConfigurationStruct,
} from './configuration-file.ts';
export { noTypeText as configurationTypeText } from './go-json-type.ts';
export { type ConfigurationReloads, configurationReloads } from './configuration-reloads.ts';
export { createImpersonator, type Impersonator } from './impersonation/impersonation.ts';
export {
  parseServiceAccountUser,
  serviceAccountGroups,
  serviceAccountUser,
} from './service-accounts/service-account-name.ts';
export { containsToken, offeredProtocols } from './authn/web-socket-token.ts';
export { bearerTokenAuthenticator, type TokenAuthenticator } from './authn/bearer-token-authenticator.ts';
export { createLegacyTokenIssuer, type LegacyTokenIssuer } from './service-accounts/legacy-token.ts';
export {
  serviceAccountAuthenticator,
  type ServiceAccountOptions,
  serviceAccountTokens,
} from './service-accounts/service-account-authenticator.ts';
export { type BoundObjects, type BoundResource, feedBoundObjects } from './service-accounts/bound-objects.ts';
export {
  createTokenIssuer,
  type TokenContent,
  type TokenIssuer,
  type TokenIssuerOptions,
} from './service-accounts/token-issuer.ts';
export { credentialIdOf } from './service-accounts/token-claims.ts';
export {
  requestToken,
  checkTokenRequest,
  setTokenRequestDefaults,
} from './service-accounts/token-request.ts';
export { reviewSelfSubject, reviewToken, userInfoJson } from './authz/reviews.ts';
export { escalationError } from './authz/escalation.ts';
export { uncoveredRules } from './authz/rbac-covers.ts';
export { CompiledRule } from './authz/rbac-rule.ts';
export {
  alwaysAllowPaths,
  delegatedAuthorizer,
  type DelegatedAuthorizerOptions,
  type ReviewClient,
} from './authz/delegated-authorizer.ts';
export { delegatedTokens, type DelegatedTokensOptions } from './authn/delegated-authenticator.ts';
export { type IssuerMetadata, issuerMetadata } from './service-accounts/issuer-metadata.ts';
export { reviewAuthenticator } from './authn/review-authenticator.ts';
export { requireVerificationKeys } from './service-accounts/token-keys.ts';
export { headerText } from './authn/header-text.ts';
