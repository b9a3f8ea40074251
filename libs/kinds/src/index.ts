// A kind, and the kinds of an app
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
export { type ResponseForms, customBehavior, type KindBehavior, typedBehavior } from './kind-behavior.ts';
export { KindRegistry } from './kind-registry.ts';
export { patchTypes } from './patch-types.ts';

// A request: its context, the URL, and the trace of its decisions
export { createContext, type RequestContext } from './context.ts';
export { exactName, parseRequestInfo, type RequestInfo } from './request-info.ts';
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
export { booleanParameter } from './boolean-parameter.ts';

// Discovery of kinds
export type { CustomKind, PublishedKind } from './custom-kind.ts';
export type {
  DiscoverySource,
  GroupDiscovery,
  GroupVersion,
  ResourceDiscovery,
  VersionDiscovery,
} from './discovery-source.ts';
export {
  type DescribeGroup,
  groupDiscovery,
  type OpenApiDocuments,
  registryDiscovery,
  resourceDiscovery,
} from './registry-discovery.ts';

// The built-in kinds, from recorded data
export {
  builtinKinds,
  defaultColumns,
  type ExtendedKind,
  type KindExtension,
  retiredKind,
} from './builtin/kinds.ts';
export { type Default, setAbsent, type TypeDefaults } from './builtin/defaults.ts';
export { allMetadata, restore, statusEndpoint, statusStrategy } from './builtin/status.ts';
export { withCreator } from './builtin/created-fields.ts';
export { appliedStatus, ownedStatus } from './builtin/status-owner.ts';
export { completeBehavior, defaultMetrics } from './builtin/autoscalers/spec-defaults.ts';
export {
  autoscalerInV2,
  canonicalizeAutoscaler,
  dropReservedAnnotations,
  restoreAnnotations,
} from './builtin/autoscalers/autoscalers.ts';
export { eventsStorage } from './builtin/events.ts';
export { age, type Cell, genericCells } from './builtin/cells.ts';
export { scaleSchema } from './builtin/scale-schema.ts';
export { componentSchema } from './builtin/schema.ts';
export { emptyObject } from './builtin/empty-object.ts';
export { internalValue } from './builtin/internal-value.ts';
export {
  recordedColumns,
  recordedComponents,
  type RecordedComponents,
  recordedGroupVersions,
  recordedOpenApi,
  recordedServerComponents,
  retiredGroupVersions,
} from './builtin/data.ts';
export { loadProtobuf } from './protobuf/load-protobuf.ts';

// Components of OpenAPI documents
export { componentName } from './component-name.ts';
export { forEachReference, withReferences } from './component-references.ts';

// Kinds of the SDK, which are Go types that a schema describes
export { compileTyped, type TypedDefinition } from './typed/typed-schema.ts';
