export type { RequestContext, TraceEntry } from './context.ts';
export type { RequestInfo } from './request-info.ts';
export {
  type ResourceKind,
  type StorageKind,
  type Strategy,
  type Subresource,
  type TableColumn,
  asJson,
} from './resource-kind.ts';
export type { Step } from './step.ts';
