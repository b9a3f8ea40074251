// What the command and `annex up` run
export { runScheduler } from './run.ts';
export { loadPlugins } from './framework/load-plugins.ts';
export { schedulerOptions } from './options.ts';
export {
  createSchedulers,
  type SchedulersConfig,
  schedulersConflicts,
  schedulersOptions,
} from './embedded.ts';
export { decodeConfiguration } from './config/decode.ts';
export { type Attempt, Attempts, type Refusal } from './explain/attempts.ts';
export { attemptsHandler, attemptsPath, type KnownAttempts } from './server/attempts-path.ts';
export { type DryRun, dryRun } from './explain/dry-run.ts';
export { type Explanation, explainPod, type NodeExplanation } from './explain/explain-pod.ts';

// What users import, as published.ts exports it
export {
  type ClusterView,
  type Cycle,
  definePlugin,
  type DefinedPlugin,
  type EventAction,
  type EventRegistration,
  type EventResource,
  failed,
  type NodeInfo,
  type NodeStatuses,
  type PluginFunctions,
  type PluginHandle,
  type PluginOptions,
  type PodInfo,
  type PostFilterResult,
  type PreFilterResult,
  type QueuedPod,
  startScheduler,
  type StartedScheduler,
  type StartSchedulerOptions,
  StateKey,
  Status,
  type StatusCode,
  unresolvable,
  unschedulable,
} from './published.ts';
