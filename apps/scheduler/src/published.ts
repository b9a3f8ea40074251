// What the package for npm exports: plugins, and a scheduler that runs them.
export { startScheduler, type StartedScheduler, type StartSchedulerOptions } from './run.ts';
export {
  type DefinedPlugin,
  definePlugin,
  type PluginFunctions,
  type PluginOptions,
} from './framework/define-plugin.ts';
export type { ClusterView, PluginHandle } from './framework/plugin-handle.ts';
export type { NodeStatuses, PostFilterResult, PreFilterResult, QueuedPod } from './framework/plugin.ts';
export type { EventAction, EventRegistration, EventResource } from './framework/cluster-event.ts';
export { type Cycle, StateKey } from './framework/cycle.ts';
export { failed, Status, type StatusCode, unresolvable, unschedulable } from './framework/status.ts';
export type { NodeInfo } from './objects/node-info.ts';
export type { PodInfo } from './objects/pod-info.ts';
// What the types above refer to, so that a plugin can name it.
export type { LabelSelectorObject, Labels } from '@annex/machinery';
export type { Clock, Logger } from '@annex/runtime';
