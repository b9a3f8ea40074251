export { type AdvertiseConfig, advertiseConflicts, advertiseOptions } from './advertise-options.ts';
export { type AppConfig, appConflicts, appOptions } from './app-options.ts';
export { chooseHostAddress, isUnspecified } from './host-address.ts';
export {
  type AggregatorConfig,
  aggregatorOptions,
  forwardedIdentity,
  serviceRouting,
} from './aggregator-options.ts';
export {
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
} from './authentication-options.ts';
export { openAuthentication, type OpenedAuthentication } from './authentication.ts';
export {
  type AuthorizationConfig,
  authorizationConflicts,
  authorizationOptions,
} from './authorization-options.ts';
export {
  createSecureServer,
  type SecureServer,
  type SecureServerConfig,
  type SecureServerOptions,
  serverUrl,
} from './secure-server.ts';
export {
  type Identities,
  type IdentityFiles,
  openIdentities,
  readServiceAccountKeys,
  type ServiceAccountKeys,
} from './identities.ts';
export { type LimitConfig, limitOptions } from './limit-options.ts';
export { type LoopbackOptions, loopbackClient } from './loopback-client.ts';
export { fixedKeyPair, type LiveKeyPair, openKeyPair } from './live-key-pair.ts';
export { type OpenIdOptions, openIdDocuments } from './openid-documents.ts';
export { type ServerConfig, type StandaloneConfig, standaloneOptions } from './options.ts';
export type { ClientAuthentication, Composition, Program, ProgramContext } from './program.ts';
export {
  checkUrls,
  type PeerConfig,
  peerOptions,
  type PeerCertificates,
  openPeerCertificates,
  peerAt,
  urlOption,
} from './peers.ts';
export {
  extensionAuthentication,
  identityHeaderNames,
  type PublishedAuthentication,
  type RequestHeaderConfig,
  requestHeaderOptions,
} from './request-header-options.ts';
export {
  audiencesOf,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type TokenIssuerConfig,
  tokenIssuerOf,
  tokenIssuerOptions,
  tokensOf,
} from './service-account-options.ts';
export { type ListenConfig, listenOptions, type ServingConfig, servingOptions } from './serving-options.ts';
export { runProgram } from './run-program.ts';
export { type Standalone, type StandaloneParts, standaloneProgram } from './standalone.ts';
export { type RunningProgram, startProgram } from './start-program.ts';
