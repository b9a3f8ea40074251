export { type AdmissionPlugin, type AdmissionAttributes, memoryOf } from './admission/plugin.ts';
export { convertKind, versioned, type VersionedObjects } from './admission/versioned.ts';
export { createApiListener } from './api-listener.ts';
export type { App, ServerDeps } from './app.ts';
export { createAuditor } from './auditor.ts';
export { coerceInPasses, type Expected } from './decoding/decode-object.ts';
export { typeError, notRegistered, untypedText } from './decoding/object-type.ts';
export { maxBodyContainers, slicedBodyBytes } from './decoding/body-limits.ts';
export { readYaml } from './decoding/yaml-thread.ts';
export { isAggregatedRequested } from './discovery/accept.ts';
export {
  aggregatedDocument,
  aggregatedVersion,
  type ApiGroup,
  apiGroup,
  groupDocument,
  groupListDocument,
} from './discovery/group-documents.ts';
export {
  discoveryPath,
  type DiscoverySummary,
  discoveryHandler,
  openApiPath,
} from './discovery/internal-discovery.ts';
export { type ExtensionDocuments, OpenApiHandlers } from './discovery/openapi-handlers.ts';
export { sendAggregated, sendDocument } from './discovery/send-document.ts';
export { sendEmpty } from './discovery/send-empty.ts';
export { negotiate } from './encoding/negotiation.ts';
export { ensureObject, type RequiredObject } from './ensure-object.ts';
export { methodNotRouted } from './go-route.ts';
export type { KnownObject, KnownObjects } from './known-objects.ts';
export { pauseFor } from './abandoned-request.ts';
export {
  copyInSlices,
  decodeLarge,
  equalInSlices,
  isLarge,
  parseInSlices,
  pause,
  stringifyInSlices,
} from './large-objects.ts';
export { measuredStore } from './measured-store.ts';
export type { HealthCheck } from './non-resource/health.ts';
export type { AboutServer } from './non-resource/about-server.ts';
export { storeHealthChecks } from './non-resource/store-health.ts';
export { annexVersion, versionInfo } from './non-resource/version.ts';
export { checkedDeleteOptions, type DeleteOptions } from './queries/delete-options.ts';
export { readSelectors } from './queries/selector-requirements.ts';
export { requestSteps } from './request-path.ts';
export { createResourceApp } from './resource-app.ts';
export {
  endWhole,
  sendBody,
  sendJson,
  sendNothing,
  sendNotServed,
  sendText,
  warningHeaders,
} from './respond.ts';
export { servedApis, type ServedApisConfig, servedApisConflicts, servedApisOptions } from './served-apis.ts';
export type { Handler } from './route.ts';
export { type ApiTargets, everythingElse, type RouteTargets, routeTable } from './route-table.ts';
export { composeSteps, inSequence, type Step } from './step.ts';
export { parseRequest } from './steps/parse-request.ts';
export { type Current, encodeStored, encodeStoredInSlices, StoredObjects } from './stored-objects.ts';
export { isStream } from './streams.ts';
export { beginTermination } from './termination.ts';
export { traceHeaders } from './trace/trace-header.ts';
export { TraceLog } from './trace/trace-log.ts';
export {
  type FollowTraces,
  serveTracesToThreads,
  type TracePathsOptions,
  type TracesOfThreads,
} from './trace/trace-paths.ts';
export type { AttributesView, AuthorizationView, TraceView } from './trace/trace-view.ts';
export { tracesPath } from './trace/traces-path.ts';
export { generatedName } from './write/prepare.ts';
