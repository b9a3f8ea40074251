import type { JsonObject } from '@annex/machinery';

/** A kind as operations name it. */
export interface OperationKind {
  group: string;
  version: string;
  kind: string;
}

/** One operation on a path, before it is written out. */
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
  /** Names of components; absent where the document has none. */
  sends?: string | undefined;
  answers?: string | undefined;
}

/** What all operations of a document share. */
export interface OperationStyle {
  /** `AppsV1`: the group and version in `operationId`. */
  prefix: string;
  /** `apps_v1`. */
  tag: string;
  mediaTypes: readonly string[];
  patchTypes: readonly string[];
}

const text = { type: 'string', uniqueItems: true };
const flag = { type: 'boolean', uniqueItems: true };
const integer = { type: 'integer', uniqueItems: true };

type Parameter = readonly [name: string, schema: JsonObject];

const write: readonly Parameter[] = [
  ['dryRun', text],
  ['fieldManager', text],
  ['fieldValidation', text],
];
const select: readonly Parameter[] = [
  ['continue', text],
  ['fieldSelector', text],
  ['labelSelector', text],
  ['limit', integer],
  ['resourceVersion', text],
  ['resourceVersionMatch', text],
  ['sendInitialEvents', flag],
  ['timeoutSeconds', integer],
];
const removal: readonly Parameter[] = [
  ['dryRun', text],
  ['gracePeriodSeconds', integer],
  ['orphanDependents', flag],
  ['propagationPolicy', text],
];

/** Query parameters by action. kubectl asks a server to validate fields where `patch` has `fieldValidation`. */
const parameters: Readonly<Record<string, readonly Parameter[]>> = {
  list: [['allowWatchBookmarks', flag], ...select, ['watch', flag]],
  post: write,
  put: write,
  patch: [...write, ['force', flag]],
  delete: removal,
  deletecollection: [...select, ...removal],
};

/** Success codes by action, beside 200. */
const furtherCodes: Readonly<Record<string, readonly string[]>> = {
  post: ['201', '202'],
  put: ['201'],
  patch: ['201'],
  delete: ['202'],
};
const codeTexts: Readonly<Record<string, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const reference = (component: string): JsonObject => ({ $ref: `#/components/schemas/${component}` });

const contentOf = (types: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema }]));

/** Writes an operation as OpenAPI v3 has it. */
export function writeOperation(operation: Operation, style: OperationStyle): JsonObject {
  const { action, kind } = operation;
  const body = requestBody(operation, style);
  const query = parameters[action]?.map(([name, schema]) => ({ name, in: 'query', schema }));
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
  const types = action === 'patch' ? style.patchTypes : style.mediaTypes;
  const required = action === 'put' || action === 'post' || action === 'patch';
  return { content: contentOf(types, reference(sends)), ...(required ? { required } : {}) };
}

function responses({ action, answers }: Operation, style: OperationStyle): JsonObject {
  const answer = (code: string): JsonObject => ({
    description: codeTexts[code] ?? '',
    ...(answers === undefined ? {} : { content: contentOf(style.mediaTypes, reference(answers)) }),
  });
  const codes = ['200', ...(furtherCodes[action] ?? [])];
  return {
    ...Object.fromEntries(codes.map((code) => [code, answer(code)])),
    '401': { description: 'Unauthorized' },
  };
}
