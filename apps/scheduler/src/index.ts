// What the command and `annex up` run
export { runScheduler } from './run.ts';
export { schedulerOptions } from './options.ts';
export { createScheduler, type SchedulerApp, type SchedulerAppOptions } from './scheduler-app.ts';
export { decodeConfiguration, defaultConfiguration } from './config/decode.ts';
export { aggregateText, validateConfiguration } from './config/validate.ts';
export type { SchedulerConfig } from './config/types.ts';

// What plugins of users are made of
export { definePlugin, type Plugin, type PluginDefinition } from './framework/plugin.ts';
export { type Cycle, StateKey } from './framework/cycle.ts';
export { failed, Status, unresolvable, unschedulable } from './framework/status.ts';
export type { Handle } from './framework/handle.ts';
export type { NodeInfo } from './objects/node-info.ts';
export type { PodInfo } from './objects/pod-info.ts';
