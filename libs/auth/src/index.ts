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
export {
  ensurePki,
  type PkiAuthority,
  PkiError,
  type PkiFiles,
  type PkiOptions,
  type PkiPair,
  writeCertificate,
} from './pki.ts';
export { openPkiDirectory, type PkiDirectory } from './pki-directory.ts';
export {
  type CertificateAndKey,
  type ClientIdentity,
  issueClientCertificate,
  issueServingCertificate,
  newCertificateAuthority,
} from './pki-certificate.ts';
export { kubeconfigText, type KubeconfigContent, writeKubeconfig } from './kubeconfig-file.ts';
export { credentialIdKey, x509Authenticator, type X509Options } from './x509-authenticator.ts';
export { requestHeaderAuthenticator, type RequestHeaderOptions } from './request-header-authenticator.ts';
export {
  anonymousAuthenticator,
  anonymousUser,
  authenticatedGroup,
  unauthenticatedGroup,
} from './anonymous-authenticator.ts';
export { unionAuthenticator } from './union-authenticator.ts';
export {
  type PolicyRule,
  type RbacBinding,
  rbacGroup,
  rbacPrefixes,
  type RbacRole,
  type RbacSubject,
  type RoleRef,
} from './rbac-types.ts';
export type { RbacSource } from './rbac-index.ts';
export { type RbacAuthorizer, rbacAuthorizer, type RuleResolver, type UserRules } from './rbac-authorizer.ts';
export { alwaysAllowGroups, privilegedGroup, unionAuthorizer } from './union-authorizer.ts';
export { forbiddenMessage, forbiddenStatus } from './forbidden.ts';
export { goQuote, goQuoteList } from './go-quote.ts';
export { createImpersonator, type Impersonator } from './impersonation.ts';
export { parseServiceAccountUser, serviceAccountGroups, serviceAccountUser } from './service-account-name.ts';
export {
  bearerToken,
  bearerTokenAuthenticator,
  type TokenAuthenticator,
} from './bearer-token-authenticator.ts';
export { createLegacyTokenIssuer, type LegacyTokenIssuer } from './legacy-token.ts';
export {
  serviceAccountAuthenticator,
  type ServiceAccountOptions,
  serviceAccountTokens,
} from './service-account-authenticator.ts';
export { type BoundObjects, type BoundResource, feedBoundObjects } from './bound-objects.ts';
export {
  createTokenIssuer,
  type TokenContent,
  type TokenIssuer,
  type TokenIssuerOptions,
} from './token-issuer.ts';
export { answerTokenRequest } from './token-request.ts';
export { answerSelfSubjectReview, answerTokenReview, userInfoJson } from './review-answers.ts';
export { escalationComplaint } from './escalation.ts';
export { uncoveredRules } from './rbac-covers.ts';
export {
  alwaysAllowPaths,
  delegatedAuthorizer,
  type DelegatedAuthorizerOptions,
  type ReviewClient,
} from './delegated-authorizer.ts';
export { delegatedTokens, type DelegatedTokensOptions } from './delegated-authenticator.ts';
export { type IssuerMetadata, issuerMetadata } from './issuer-metadata.ts';
export { headerText } from './header-text.ts';
