export type { AdmissionPlugin, AdmissionRequest } from './admission/plugin.ts';
export type { App, Backend, ServerDeps } from './app.ts';
export type {
  DiscoverySource,
  GroupDiscovery,
  ResourceDiscovery,
  VersionDiscovery,
} from './discovery-source.ts';
export { createPacer } from './pacer.ts';
export { AbortedHandler } from './aborted-handler.ts';
export { refuseRest } from './request-body.ts';
export {
  type ServedApis,
  servedApis,
  type ServedApisConfig,
  servedApisConflicts,
  servedApisOptions,
} from './served-apis.ts';
export { type RequestContext, createContext } from './context.ts';
export type { HealthCheck } from './non-resource/health.ts';
export { builtinBehaviour, customBehaviour, type KindBehaviour, typedBehaviour } from './kind-behaviour.ts';
export { KindRegistry } from './kind-registry.ts';
export { measuredStore } from './measured-store.ts';
export { type ApiListenerOptions, createApiListener } from './api-listener.ts';
export type { Listener } from './listener.ts';
export { type Auditor, createAuditor } from './auditor.ts';
export {
  type AdmissionConfig,
  admissionConflicts,
  admissionOptions,
  admissionPlugins,
  choiceConflicts,
  openAdmission,
} from './admission-plugins.ts';
export { refuse } from './plugins/refuse.ts';
export { type GenericPlugin, genericPlugins, openGenericAdmission } from './generic-admission.ts';
export type { AdmissionHost } from './admission/host.ts';
export type { KnownObject, KnownObjects } from './known-objects.ts';
export { type ParamSource, unknownParamKind } from './policies/params.ts';
export {
  aggregatedDocument,
  aggregatedVersion,
  type ApiGroup,
  apiGroup,
  groupDocument,
  groupListDocument,
} from './discovery/group-documents.ts';
export { wantsAggregated } from './discovery/accept.ts';
export { digest, type OpenApiSource } from './openapi/published-documents.ts';
export { type ExtensionDocuments, OpenApiHandlers } from './discovery/openapi-handlers.ts';
export { readSwagger, selectPaths, type Swagger } from './openapi/swagger.ts';
export { swaggerToV3 } from './openapi/swagger-to-v3.ts';
export type { ForeignDocument } from './openapi/v2-foreign.ts';
export { sendEmpty } from './discovery/send-empty.ts';
export { sendAggregated, sendDocument } from './discovery/send-document.ts';
export { type Encoding, type Representation, encodeAs, negotiate } from './encoding/negotiation.ts';
export { loadProtobuf } from './protobuf/load-protobuf.ts';
export { type NonResourceOptions, nonResource } from './non-resource/non-resource.ts';
export { peerCertificate } from './peer-certificate.ts';
export { type RequestPathDeps, requestSteps } from './request-path.ts';
export {
  type DescribeGroup,
  groupDiscovery,
  type OpenApiDocuments,
  registryDiscovery,
  resourceDiscovery,
} from './registry-discovery.ts';
export { customOpenApi, type CustomVersion } from './openapi/custom-documents.ts';
export type { PublishedKind } from './openapi/published-schema.ts';
export { scaleSchema } from './builtin/scale-schema.ts';
export { builtinDocuments } from './openapi/builtin-documents.ts';
export { type OpenApiVersion, openApiRelease } from './openapi/document.ts';
export { serverDocument, serverDocumentPaths } from './openapi/server-documents.ts';
export { type ResourceAppOptions, createResourceApp } from './resource-app.ts';
export { methodNotRouted } from './go-route.ts';
export {
  endWhole,
  sendBody,
  sendJson,
  sendNothing,
  sendNotServed,
  sendText,
  warningHeaders,
} from './respond.ts';
export { checkedDeleteOptions, type DeleteOptions } from './queries/delete-options.ts';
export {
  asJson,
  type ConnectOptions,
  type MetaChecks,
  type Preconditions,
  type ResourceKind,
  type StorageKind,
  type Strategy,
  type Subresource,
  type TableColumn,
  type TableRowCondition,
} from './resource-kind.ts';
export { beginTermination, type Termination } from './termination.ts';
export { type Current, StoredObjects, encodeStored } from './stored-objects.ts';
export {
  type AdmissionCall,
  type DecisionTrace,
  type ForwardTrace,
  markStep,
  type Presented,
  type ReviewTrace,
} from './trace/decision-trace.ts';
export { traceHeaders } from './trace/trace-header.ts';
export { TraceLog } from './trace/trace-log.ts';
export { tracePaths, type TracePathsOptions } from './trace/trace-paths.ts';
export { tracesPath } from './trace/traces-path.ts';
export type { AskedView, AuthorizationView, PresentedView, TraceView } from './trace/trace-view.ts';
export { requestedUpgrade } from './upgrade-request.ts';
export { booleanParameter } from './boolean-parameter.ts';
export type { RequestInfo } from './request-info.ts';
export { type Step, type StepObserver, composeSteps } from './step.ts';
export { compileTyped, type TypedDefinition } from './typed/typed-schema.ts';
export { type Cell, age } from './builtin/cells.ts';
export { type Default, type TypeDefaults, setAbsent } from './builtin/defaults.ts';
export {
  type KindExtension,
  type ExtensionOf,
  builtinKinds,
  defaultColumns,
  extendKind,
  retiredKind,
} from './builtin/kinds.ts';
export { restore, statusStrategy, statusSubresource, statusSubresourceOf } from './builtin/status.ts';
export { printedType, readAnsweredReview, type ReviewType } from './webhooks/answered-review.ts';
export { type WebhookService, validateWebhookService, validateWebhookUrl } from './webhooks/client-config.ts';
export { type ResolveService, WebhookClient, type WebhookClientConfig } from './webhooks/webhook-client.ts';
export {
  type ApiService,
  type ApiServiceCondition,
  apiServiceName,
  apiServicesPrefix,
  availableCondition,
  groupOf,
  isRemote,
  localCondition,
  portOf,
  type RemoteApiService,
  type ServiceReference,
} from './aggregation/api-service.ts';
export { type ApiServiceChange, ApiServices } from './aggregation/api-services.ts';
export {
  type ApiServicePriority,
  builtinPriority,
  customPriority,
  localPriority,
} from './aggregation/builtin-priorities.ts';
export { speaksNoTls } from './aggregation/dial-error.ts';
export { type Endpoint, endpointOf, hostPort } from './aggregation/endpoint.ts';
export {
  DialError,
  exchange,
  type Fetched,
  fetchStatus,
  fetchWhole,
  type Outgoing,
} from './aggregation/exchange.ts';
export { follow, type Follower } from './aggregation/follow.ts';
export type { AnswerBody, BodySink } from './aggregation/http1/answer-body.ts';
export { MalformedAnswer } from './aggregation/http1/answer-head.ts';
export type { Answer, Information } from './aggregation/http1/exchange.ts';
export {
  defaultIdentityHeaders,
  endsHere,
  endToEndHeaders,
  forwardedFor,
  hopByHopHeaders,
  identityHeaders,
  identityHeaderTest,
  type IdentityHeaderNames,
} from './aggregation/forward-headers.ts';
export { type HeaderList, headerObject, listedNames } from './header-list.ts';
export { Forwarder, type ForwarderOptions, type RemoteFetch } from './aggregation/forwarder.ts';
export {
  ResolveError,
  resolverPrefixes,
  ServiceResolver,
  type ServiceRouting,
} from './aggregation/service-resolver.ts';
export {
  type ProxyClientCertificate,
  shownCertificate,
  Transport,
  type TransportOptions,
} from './aggregation/transport.ts';
export { Transports } from './aggregation/transports.ts';
export { ensureObject, type WantedObject } from './ensure-object.ts';
export { type AuditConfig, auditConflicts, auditOptions } from './audit/audit-options.ts';
export { type OpenAudit, openConfiguredAudit } from './audit/configured-audit.ts';
export { storeHealthChecks } from './non-resource/store-health.ts';
export { isStream } from './streams.ts';
export { annexVersion, versionInfo } from './non-resource/version.ts';
export { internalDiscovery } from './discovery/internal-discovery.ts';
export { aggregatorUser, RemoteDiscovery, type Peer } from './discovery/remote-discovery.ts';
export type { QuotaEvaluator } from './quota/evaluator.ts';
export { quotaEvaluator } from './quota/evaluators.ts';
export { measureUsage, type ResourceQuota } from './quota/quota-state.ts';
export { asAmounts, type ResourceList, resourceList, sameAmounts } from './quota/resource-list.ts';
export { compileExpression, type Expression, isIdentifier } from './policies/expression.ts';
export { compileMutation } from './policies/mutating-policy.ts';
export { compilePolicy, type PolicyExpressions } from './policies/policy.ts';
export type { Mutation, ParamKind, PolicySpec } from './policies/policy-spec.ts';
export { isBehind } from './unsent-bytes.ts';
export { defaultMaxStreams } from './listener-limits.ts';
