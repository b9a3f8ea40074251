import { tableOf, getOwn, type JsonObject } from '@annex/machinery';
import { recordedOpenApi } from '@annex/kinds';

/** A kind in the form that operations need. */
export interface OperationKind {
  group: string;
  version: string;
  kind: string;
}

/** One operation of a path, before it is encoded. */
export interface Operation {
  method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  /** `x-kubernetes-action`. */
  action: string;
  /** The first word of `operationId`. */
  verb: string;
  description: string;
  /** Words between the version and the kind in `operationId`. */
  infix: string;
  /** Words after the kind. */
  suffix: string;
  kind: OperationKind;
  /** Names of components; absent if the document has none. */
  sends?: string | undefined;
  responds?: string | undefined;
}

/** The common properties of the operations of a document. */
export interface OperationStyle {
  /** `AppsV1`: the group and version in `operationId`. */
  prefix: string;
  /** `apps_v1`. */
  tag: string;
  mediaTypes: readonly string[];
  patchTypes: readonly string[];
  custom: boolean;
}

type Types = 'string' | 'boolean' | 'integer';
type Parameter = readonly [name: string, type: Types];

const write: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['fieldManager', 'string'],
  ['fieldValidation', 'string'],
];
const select: readonly Parameter[] = [
  ['continue', 'string'],
  ['fieldSelector', 'string'],
  ['labelSelector', 'string'],
  ['limit', 'integer'],
  ['resourceVersion', 'string'],
  ['resourceVersionMatch', 'string'],
  ['sendInitialEvents', 'boolean'],
  ['shardSelector', 'string'],
  ['timeoutSeconds', 'integer'],
];
const removal: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['gracePeriodSeconds', 'integer'],
  ['ignoreStoreReadErrorWithClusterBreakingPotential', 'boolean'],
  ['orphanDependents', 'boolean'],
  ['propagationPolicy', 'string'],
];
const list: readonly Parameter[] = [['allowWatchBookmarks', 'boolean'], ...select, ['watch', 'boolean']];

/** Query parameters by action. kubectl uses server-side field validation if `patch` has `fieldValidation`. */
const parameters: Readonly<Record<string, readonly Parameter[]>> = {
  list,
  post: write,
  put: write,
  patch: [...write, ['force', 'boolean']],
  delete: removal,
  deletecollection: [...select, ...removal].sort(([a], [b]) => (a < b ? -1 : 1)),
};

/** Query parameters that differ for custom resources. */
const customParameters: Readonly<Record<string, readonly Parameter[]>> = {
  ...parameters,
  deletecollection: list,
  get: [['resourceVersion', 'string']],
};

const written = new Map<string, JsonObject>();

/** Returns a parameter with kube-apiserver's description. Shared and read-only. */
export function writeParameter(name: string, place: 'query' | 'path', type: Types, action = ''): JsonObject {
  const key = `${name} ${place} ${type} ${action}`;
  let parameter = written.get(key);
  if (parameter === undefined) written.set(key, (parameter = newParameter(name, place, type, action)));
  return parameter;
}

function newParameter(name: string, place: 'query' | 'path', type: Types, action: string): JsonObject {
  const descriptions = recordedOpenApi().parameters;
  const description = descriptions[`${name} of ${action}`] ?? getOwn(descriptions, name) ?? '';
  const required: JsonObject = place === 'path' ? { required: true } : {};
  return { name, in: place, description, ...required, schema: { type, uniqueItems: true } };
}

/** Success codes by action, in addition to 200. */
const furtherCodes = tableOf<readonly string[]>({
  post: ['201', '202'],
  put: ['201'],
  patch: ['201'],
  delete: ['202'],
});
const codeTexts = tableOf({ 200: 'OK', 201: 'Created', 202: 'Accepted' });

const reference = (component: string): JsonObject => ({ $ref: `#/components/schemas/${component}` });

const contentOf = (types: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

/** Returns an operation in the form of OpenAPI v3. */
export function writeOperation(operation: Operation, style: OperationStyle): JsonObject {
  const { action, kind } = operation;
  const body = requestBody(operation, style);
  const known = style.custom ? customParameters : parameters;
  const query = getOwn(known, action)?.map(([name, type]) => writeParameter(name, 'query', type, action));
  return {
    tags: [style.tag],
    description: operation.description,
    operationId: operation.verb + style.prefix + operation.infix + kind.kind + operation.suffix,
    ...(query === undefined ? {} : { parameters: query }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responses(operation, style),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
  };
}

function requestBody({ action, sends }: Operation, style: OperationStyle): JsonObject | undefined {
  if (sends === undefined) return undefined;
  const sent = style.custom ? style.mediaTypes : ['*/*'];
  const types = action === 'patch' ? style.patchTypes : sent;
  const required = action === 'put' || action === 'post' || action === 'patch';
  return { content: contentOf(types, reference(sends)), ...(required ? { required } : {}) };
}

/** The media types of watches, in the lists of built-in kinds. */
const streamTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** Returns the GET operation of a path for documentation, without an action. */
export function writeDocumentOperation(
  description: string,
  operationId: string,
  responds: string,
  style: OperationStyle,
): JsonObject {
  const content = contentOf(style.mediaTypes, reference(responds));
  return {
    tags: [style.tag],
    description,
    operationId,
    responses: { '200': { description: 'OK', content }, '401': { description: 'Unauthorized' } },
  };
}

function responses({ action, responds }: Operation, style: OperationStyle): JsonObject {
  // Custom resources do not document that a patch can create an object.
  const further = style.custom && action === 'patch' ? [] : (furtherCodes.get(action) ?? []);
  const isStream = action === 'list' && !style.custom;
  const types = isStream ? [...style.mediaTypes, ...streamTypes] : style.mediaTypes;
  const response = (code: string): JsonObject => ({
    description: codeTexts.get(code) ?? '',
    ...(responds === undefined ? {} : { content: contentOf(types, reference(responds)) }),
  });
  const codes = ['200', ...further];
  return {
    ...Object.fromEntries(codes.map((code) => [code, response(code)])),
    '401': { description: 'Unauthorized' },
  };
}
