export { deepCopy, deepEqual, parseJson, stringifyJson } from './json.ts';
export {
  type JsonLimits,
  limitExceededByText,
  limitExceededByTextInPasses,
  limitExceededByValue,
} from './json-limits.ts';
export {
  countMembers,
  countParts,
  copyInPasses,
  deepCopyInPasses,
  deepEqualInPasses,
  hasManyParts,
  hasManyVisits,
  parseJsonInPasses,
} from './json-passes.ts';
export { encodeJsonInPasses, stringifyJsonInPasses } from './json-text-passes.ts';
export { emptyFieldOf, forgetEmptyField, keepEmptyFields, noteEmptyField } from './empty-fields.ts';
export { type JsonObject, type JsonValue, getOwn, isObject, setAllOwn, setOwn } from './json-object.ts';
export { jsonParse } from './json-keys.ts';
export { goJsonSyntaxError, goJsonSyntaxErrorInPasses } from './json-syntax.ts';
export {
  type GroupResource,
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  groupVersion,
  parseGroupVersion,
  qualifiedKind,
  qualifiedResource,
} from './meta.ts';
export {
  type FieldError,
  type FieldErrorType,
  FieldPath,
  fieldErrors,
  fieldErrorsText,
  maxFieldErrors,
  fieldErrorText,
  omittedValue,
  TypedText,
} from './field.ts';
export {
  completeErrors,
  errorsAtOnce,
  errorsInPasses,
  errorsOfPasses,
  noteErrors,
  errorsOfEach,
  errorsOfMembers,
  postponeErrors,
} from './errors-of-each.ts';
export {
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
  alreadyExists,
  badRequest,
  conflict,
  expired,
  failure,
  forbidden,
  internalError,
  invalid,
  isReason,
  methodNotAllowed,
  noSuchResource,
  notAcceptable,
  notFound,
  objectModified,
  serviceUnavailable,
  statusReasons,
  timeout,
  tooLarge,
  tooManyRequests,
  unauthorized,
  unavailableFor,
  unclassified,
  unsupportedMediaType,
} from './status.ts';
export {
  PatchError,
  applyJsonPatch,
  applyJsonPatchInPasses,
  jsonPatchUnknownFields,
  jsonTypeName,
  maxJsonPatchOperations,
} from './json-patch.ts';
export { applyMergePatchInPasses } from './merge-patch.ts';
export { keptBytes, utf8Length, wholeEnd } from './utf8.ts';
export {
  type Check,
  type NameCheck,
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsLongName,
  nameIsPathSegment,
  regexError,
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateHttpHeaderName,
  validateLabelValue,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validatePercent,
  validatePortName,
  validatePortNumber,
  validateQualifiedName,
  validateWildcardDns1123Subdomain,
} from './names.ts';
export {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  LabelSelector,
} from './labels/label-selector.ts';
export { parseLabelSelector, parseLabelSelectorInPasses } from './labels/parser.ts';
export { SelectorError } from './labels/requirements.ts';
export {
  compileLabelSelector,
  compileLabelSelectorInPasses,
  type LabelSelectorObject,
} from './labels/selector-objects.ts';
export {
  type FieldLookup,
  type FieldRequirement,
  FieldSelector,
  escapeFieldValue,
  parseFieldSelector,
  unknownFieldSelector,
  unsupportedFieldLabel,
} from './fields.ts';
export { repetitions } from './repetitions.ts';
export { maxPemLength, type PemBlock, readPem } from './go/pem.ts';
export { goPrint } from './go/print.ts';
export {
  goCount,
  type GoFields,
  goFlag,
  goList,
  goMap,
  goPointer,
  goStruct,
  goStructPointer,
  goText,
  type GoValue,
} from './go/struct.ts';
export { latin1OfText, textOfLatin1 } from './go/bytes.ts';
export { escape as escapeUrl } from './go/escape.ts';
export { type HostAndPort, splitHostPort } from './go/host-port.ts';
export { escapedJson, escapedJsonInPasses } from './go/json.ts';
export { goLineDiff, maxComparedLines } from './go/line-diff.ts';
export { maxQueryParameters, parseQuery, Query } from './go/query.ts';
export { goEscapes, goQuote, goQuoteList } from './go/quote.ts';
export { trim, trimRight } from './go/trim.ts';
export { parseRequestTarget, type RequestTarget } from './go/request-target.ts';
export { type GoUrl, isRequestUrl, parseRequestUrl, parseUrl, UrlError } from './go/url.ts';
export { IpAddress, IpAddressError } from './ip-address.ts';
export { tableOf } from './table.ts';
export { builtinStoragePrefix } from './storage-prefix.ts';
export { formatMicroTime, formatTime, parseTime } from './time.ts';
export { type ReadDuration, readDuration } from './go/duration.ts';
export { humanDuration } from './human-duration.ts';
export {
  type MetaRules,
  fieldImmutable,
  maxAnnotationsBytes,
  validateAnnotations,
  validateFieldManager,
  validateFinalizers,
  validateLabelKey,
  validateLabels,
  validateLabelSelector,
  validateManagedFields,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateOwnerReferences,
  validateStandardFinalizers,
} from './validate-meta.ts';
export {
  exceedsDepth,
  exceedsDepthInPasses,
  findDuplicateFields,
  findDuplicateFieldsInPasses,
  maxDepth,
  nestsTooDeep,
  strictErrorsInOrder,
} from './strict.ts';
export {
  type DecodedYaml,
  YamlError,
  type YamlLimits,
  decodeJsonAsYaml,
  decodeYaml,
  yamlDuplicatesText,
} from './yaml.ts';
export {
  maxQuantityLength,
  Quantity,
  QuantityError,
  type QuantityFormat,
  validateQuantity,
} from './quantity.ts';
export { lazily } from './lazily.ts';
export {
  DividedVisit,
  finish,
  finishInSlices,
  finishSoon,
  isManyParts,
  type Passes,
  type Pause,
  sortInPasses,
  visitedAtOnce,
} from './passes.ts';
export { type FirstParts, firstParts } from './first-parts.ts';
export { everyContainer } from './every-container.ts';
export {
  isEmptyMap,
  isEmptyObject,
  isKnownWide,
  maxObjectMembers,
  namesInPasses,
  countMember,
  noteMembers,
  noteNames,
  requireFewMembers,
  tooManyMembers,
} from './wide-objects.ts';
export { visitNames } from './visit-names.ts';
export { pushAll } from './push-all.ts';
export {
  JsonPathBudget,
  type JsonPath,
  compileJsonPath,
  compileJsonPathTemplate,
  maxJsonPathValues,
} from './jsonpath.ts';
export { JsonPathError } from './jsonpath-parser.ts';
export { encodeYaml, encodeYamlInPasses } from './encode-yaml.ts';
export { printFloat } from './go/float.ts';
export { compareApiVersions } from './api-version-order.ts';
export { parseGoBoolean } from './go/boolean.ts';
export { parseGoInteger } from './go/integer.ts';
