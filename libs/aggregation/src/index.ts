export {
  type ApiService,
  type ApiServiceCondition,
  apiServiceName,
  apiServicesPrefix,
  availableCondition,
  groupOf,
  isRemote,
  localCondition,
  portOf,
  type RemoteApiService,
} from './api-service.ts';
export { ApiServices } from './api-services.ts';
export {
  type ApiServicePriority,
  builtinPriority,
  customPriority,
  localPriority,
} from './builtin-priorities.ts';
export { follow } from './follow.ts';
export {
  defaultIdentityHeaders,
  isNotForwarded,
  endToEndHeaders,
  forwardedFor,
  type IdentityHeaderNames,
  identityHeaders,
  identityHeaderTest,
} from './forward-headers.ts';
export { Forwarder, type ForwarderOptions } from './forwarder.ts';
export { aggregatorUser, type Peer, RemoteDiscovery } from './remote-discovery.ts';
export { ResolveError, resolverPrefixes, ServiceResolver, type ServiceRouting } from './service-resolver.ts';
export { Transports } from './transports.ts';
