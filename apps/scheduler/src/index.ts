// What the command and `annex up` run
export { runScheduler, startScheduler } from './run.ts';
export { schedulerOptions } from './options.ts';
export {
  createSchedulers,
  type SchedulersConfig,
  schedulersConflicts,
  schedulersOptions,
} from './embedded.ts';
export { decodeConfiguration } from './config/decode.ts';
export { type DryRun, dryRun } from './explain/dry-run.ts';
export { type Explanation, explainPod, type NodeExplanation } from './explain/explain-pod.ts';

// What plugins of users are made of
export { definePlugin, type Plugin, type PluginDefinition } from './framework/plugin.ts';
export { type Cycle, StateKey } from './framework/cycle.ts';
export { failed, Status, unresolvable, unschedulable } from './framework/status.ts';
export type { Handle } from './framework/handle.ts';
export type { NodeInfo } from './objects/node-info.ts';
export type { PodInfo } from './objects/pod-info.ts';
