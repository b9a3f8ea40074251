export { createKonnectivityServer, type KonnectivityServer } from './app.ts';
export { konnectivityServerConflicts } from './option-conflicts.ts';
export { type KonnectivityServerConfig, konnectivityServerOptions } from './options.ts';
export { runKonnectivityServer } from './run.ts';
