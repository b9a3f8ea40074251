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
export { type Cell, age } from './builtin-cells.ts';
export { type Default, type TypeDefaults, setAbsent } from './builtin-defaults.ts';
export { type KindExtension, builtinKinds, extendKind } from './builtin-kinds.ts';
export { restore } from './builtin-status.ts';
