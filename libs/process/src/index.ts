// A program: what a process runs, and how it starts and stops
export type { Composition, Program, ProgramContext } from './program.ts';
export { type EgressConfig, egressOptions } from './egress-options.ts';
export { type StandaloneParts, standaloneProgram } from './standalone.ts';
export { startProgram } from './start-program.ts';
export { runProgram } from './run-program.ts';
export { loadThreads } from './threads/load-threads.ts';
export type { ThreadGroup } from './threads/thread-group.ts';
export { type ThreadsConfig, threadsOptions } from './threads/threads-options.ts';

// Tables of options; the conflicts of a table are the rules between its options
export { type StandaloneConfig, standaloneOptions } from './options.ts';
export { type EtcdConfig, etcdConflicts, etcdOptions } from './etcd-options.ts';
export { openEtcdStore, unreachableStore } from './etcd-store.ts';
export { readingKubeValues } from './kube-values.ts';
export { type AppConfig, appConflicts, appOptions } from './app-options.ts';
export { type AdvertiseConfig, advertiseConflicts, advertiseOptions } from './advertise-options.ts';
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
export {
  type AuthorizationConfig,
  authorizationConflicts,
  authorizationOptions,
} from './authorization-options.ts';
export { type LimitConfig, limitOptions } from './limit-options.ts';
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
  type PublishedAuthentication,
  type RequestHeaderConfig,
  requestHeaderOptions,
} from './request-header-options.ts';
export {
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
  type TokenIssuerConfig,
  tokenIssuerOf,
  tokenIssuerOptions,
} from './service-account-options.ts';
export { type CorsConfig, corsConflicts, corsOptions } from './cors-options.ts';
export { type TlsConfig, tlsConflicts, tlsOptions } from './tls-options.ts';
export { openSniCertificates } from './sni-certificates.ts';
export { type ListenConfig, listenOptions, type ServingConfig, servingOptions } from './serving-options.ts';

// Certificates, keys and authentication that the options name
export {
  type Identities,
  type IdentityFiles,
  openIdentities,
  readServiceAccountKeys,
  type ServiceAccountKeys,
} from './identities.ts';
export { openAuthentication } from './authentication.ts';
export { DelegatedIdentities } from './delegated-identities.ts';
export { type LiveTrust, openTrust, type TrustSource } from './live-trust.ts';
export { openIdDocuments } from './openid-documents.ts';

// The listener, and the addresses of a server
export { createSecureServer, type SecureServerConfig, serverUrl } from './secure-server.ts';
export { loopbackClient, loopbackServerName } from './loopback-client.ts';
export { chooseHostAddress, isUnspecified } from './host-address.ts';
