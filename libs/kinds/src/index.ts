export { booleanParameter } from './boolean-parameter.ts';
export { age, type Cell, genericCells } from './builtin/cells.ts';
export {
  lazily,
  recordedColumns,
  recordedComponents,
  type RecordedComponents,
  recordedGroupVersions,
  recordedOpenApi,
  recordedServerComponents,
  retiredGroupVersions,
} from './builtin/data.ts';
export { type Default, setAbsent, type TypeDefaults } from './builtin/defaults.ts';
export { emptyObject } from './builtin/empty-object.ts';
export {
  builtinKinds,
  defaultColumns,
  type ExtendedKind,
  type KindExtension,
  retiredKind,
} from './builtin/kinds.ts';
export { scaleSchema } from './builtin/scale-schema.ts';
export { componentSchema } from './builtin/schema.ts';
export { allMetadata, restore, statusEndpoint, statusStrategy } from './builtin/status.ts';
export { componentName } from './component-name.ts';
export { forEachReference, withReferences } from './component-references.ts';
export { createContext, type RequestContext } from './context.ts';
export {
  type AdmissionCall,
  type DecisionTrace,
  type ForwardTrace,
  markStep,
  type ReviewTrace,
  traceAdmission,
  type TracedApiService,
  traceRefusal,
  traceRight,
} from './decision-trace.ts';
export type {
  DiscoverySource,
  GroupDiscovery,
  ResourceDiscovery,
  VersionDiscovery,
} from './discovery-source.ts';
export {
  type ResponseForms,
  builtinBehavior,
  customBehavior,
  type KindBehavior,
  typedBehavior,
} from './kind-behavior.ts';
export { KindRegistry } from './kind-registry.ts';
export { patchTypes } from './patch-types.ts';
export { loadProtobuf } from './protobuf/load-protobuf.ts';
export {
  type DescribeGroup,
  groupDiscovery,
  type OpenApiDocuments,
  registryDiscovery,
  resourceDiscovery,
} from './registry-discovery.ts';
export { exactName, parseRequestInfo, type RequestInfo } from './request-info.ts';
export {
  asJson,
  type ResourceKind,
  type StorageKind,
  type TableColumn,
  type TableRowCondition,
} from './resource-kind.ts';
export type {
  GenerationRules,
  MetaChecks,
  ObjectValidation,
  Preconditions,
  Preparation,
  Strategy,
  TerminationRules,
} from './strategy.ts';
export type { ConnectOptions, Subresource } from './subresource.ts';
export { compileTyped, type TypedDefinition } from './typed/typed-schema.ts';
