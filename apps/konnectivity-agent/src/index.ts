export { createKonnectivityAgent, type KonnectivityAgent } from './app.ts';
export {
  type KonnectivityAgentConfig,
  konnectivityAgentConflicts,
  konnectivityAgentOptions,
} from './options.ts';
export { runKonnectivityAgent } from './run.ts';
