export { type AdvertiseConfig, advertiseConflicts, advertiseOptions } from './advertise-options.ts';
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
  createFrontDoor,
  type FrontDoor,
  type FrontDoorConfig,
  type FrontDoorOptions,
  serverUrl,
} from './front-door.ts';
export { type LimitConfig, limitOptions } from './limit-options.ts';
export { fixedKeyPair, type LiveKeyPair, openKeyPair } from './live-key-pair.ts';
export { openAuthorizer } from './open-authorizer.ts';
export { type OpenIdOptions, openIdDocuments } from './openid-documents.ts';
export { type StandaloneConfig, standaloneOptions } from './options.ts';
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
  refuseProxiesOfClients,
  type RequestHeaderConfig,
  requestHeaderOptions,
} from './request-header-options.ts';
export {
  audiencesOf,
  readVerificationKeys,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type TokenIssuerConfig,
  tokenIssuerOf,
  tokenIssuerOptions,
  tokensOf,
} from './service-account-options.ts';
export { type ListenConfig, listenOptions, type ServingConfig, servingOptions } from './serving-options.ts';
export {
  runStandalone,
  type RunningStandalone,
  type Standalone,
  type StandaloneContext,
  type StandaloneParts,
  startStandalone,
} from './standalone.ts';
