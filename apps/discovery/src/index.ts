export { type DiscoveryOptions, createDiscovery } from './app.ts';
export type { LocalPlace } from './aggregated-documents.ts';
export type { RefreshIntervals } from './followed-servers.ts';
export type { FetchRemote, Registration, Registrations, RemoteResponse, RemoteRequest } from './sources.ts';
export { discoveryOptions } from './options.ts';
export { runDiscovery } from './run.ts';
