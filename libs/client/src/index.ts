export { Client, type ClientRequest, credentialHeaders } from './client.ts';
export type { ClientResponse } from './client-response.ts';
export type { ClientMessage } from './connections.ts';
export { type ClientConfig, ClientConfigError } from './config.ts';
export { createServerAgent } from './create-connections.ts';
export { followTlsFiles } from './followed-config.ts';
export { Informer, type InformerHandlers, type InformerOptions } from './informer.ts';
export { logWatchFailures } from './log-watch-failures.ts';
export { LeaderElection, type Leadership, type LeadershipEvents } from './leader-election.ts';
export { inClusterConfig } from './in-cluster.ts';
export {
  type Credentials,
  type KubeconfigOptions,
  loadKubeconfig,
  loadUsers,
  parseKubeconfig,
} from './kubeconfig.ts';
export { type PatchType, type ResourceAddress, ResourceClient, type Selection } from './resource-client.ts';
export { environmentProxy } from './proxy/choose-proxy.ts';
export { dialThroughProxy } from './proxy/dial-through-proxy.ts';
export { routedAgent, type RoutedRequest } from './proxy/proxy-agents.ts';
export { retireAgent } from './retire-agent.ts';
export type { WatchEvent, WatchOptions } from './watch.ts';
export { withoutManagedFields } from './without-managed-fields.ts';
