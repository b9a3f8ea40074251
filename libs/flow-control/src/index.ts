export {
  autoUpdate,
  mandatoryLevels,
  mandatorySchemas,
  suggestedLevels,
  suggestedSchemas,
} from './bootstrap-objects.ts';
export { dumpPriorityLevels, dumpQueues, dumpRequests } from './dump.ts';
export { type Classified, FlowControl, type FlowSchema, prepareRules } from './flow-control.ts';
export type { FlowRequest } from './flow-request.ts';
export { entropyBits, usableHashBits } from './shuffle-sharding.ts';
export type { Configured, FlowSchemaSpec, PriorityLevelSpec } from './specs.ts';
export { Ticket } from './ticket.ts';
export type { ObjectFacts } from './work-estimate.ts';
