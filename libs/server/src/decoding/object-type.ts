import {
  badRequest,
  type FieldError,
  fieldErrors,
  groupVersion,
  internalError,
  invalid,
  isObject,
  type JsonObject,
  jsonTypeName,
  type JsonValue,
  parseGroupVersion,
} from '@annex/machinery';
import type { KindBehavior } from '@annex/kinds';

/** The type that an object of a request must have. */
export interface ExpectedType {
  group: string;
  version: string;
  kind: string;
  /** See {@link KindBehavior.hasKind}. */
  has: KindBehavior['hasKind'];
}

// The Go type into which kube-apiserver reads kind and apiVersion.
const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** kube-apiserver's error message for a JSON value that is not an object. */
export const untypedText = (value: JsonValue): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${typeMeta}`;

/** A custom resource in a body names the version of the URL. Throws 400 for another version. */
export function requireCustomVersion({ apiVersion = '' }: JsonObject, expected: ExpectedType): void {
  if (apiVersion !== groupVersion(expected)) throw invalidVersion(String(apiVersion), expected);
}

export const missingVersion = () =>
  internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");

/** Checks that a custom resource has the type of the URL. Throws 422 if it differs, 500 if it names none. */
export function checkCustomType(value: JsonObject, expected: ExpectedType): void {
  const { kind, apiVersion } = value;
  const expectedVersion = groupVersion(expected);
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    throw missingVersion();
  }
  const errors: FieldError[] = [];
  if (kind !== expected.kind) errors.push(fieldErrors.invalid('kind', kind, `must be ${expected.kind}`));
  if (apiVersion !== expectedVersion)
    errors.push(fieldErrors.invalid('apiVersion', apiVersion, `must be ${expectedVersion}`));
  if (errors.length === 0) return;
  const name = isObject(value.metadata) && typeof value.metadata.name === 'string' ? value.metadata.name : '';
  throw invalid({ group: parseGroupVersion(apiVersion).group, kind: String(kind) }, name, errors);
}

const invalidVersion = (apiVersion: string, expected: ExpectedType) =>
  badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${groupVersion(expected)})`,
  );

// kube-apiserver's message names a line of its source; clients and recordings depend on this text.
export const notRegistered = (kind: string, apiVersion: string) =>
  `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;

/**
 * Checks that an object of a built-in kind names the type of the URL, and fills in what it does not name.
 * Throws 400.
 */
export function checkBuiltinType(value: JsonObject, expected: ExpectedType): void {
  if (value.kind === expected.kind && value.apiVersion === groupVersion(expected)) return;
  const { kind, group, version, apiVersion } = namedType(value, expected);
  const isOtherVersion = group !== expected.group || version !== expected.version;
  // The same kind in another of its versions decodes, but is not the type of the URL.
  if (isOtherVersion && kind === expected.kind && expected.has(group, version, kind)) {
    throw invalidVersion(apiVersion, expected);
  }
  const why = typeError(value, expected);
  if (why !== undefined) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${why}`,
    );
  }
}

/**
 * Returns the error message of kube-apiserver's decoder for an object of another type; fills in kind and
 * apiVersion if they are absent.
 */
export function typeError(value: JsonObject, expected: ExpectedType): string | undefined {
  const { kind, group, version, apiVersion } = namedType(value, expected);
  const isOther = kind !== expected.kind || apiVersion !== groupVersion(expected);
  if (isOther && !isRegistered(expected, group, version, kind)) return notRegistered(kind, apiVersion);
  if (isOther) {
    const target = expected.group === '' ? 'core' : (expected.group.split('.')[0] as string);
    const from = unversionedKinds.has(kind) || metaKinds.has(kind) ? 'v1' : version;
    return `converting (${from}.${kind}) to (${target}.${expected.kind}): unknown conversion`;
  }
  value.kind = expected.kind;
  value.apiVersion = groupVersion(expected);
  return undefined;
}

/** Kinds that kube-apiserver's scheme registers in v1 in addition to those that are served. */
const commonKinds = new Set(['List']);

/** Kinds that the scheme registers in every version, and maps to v1. */
const unversionedKinds = new Set(['Status', 'APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions']);

/** Kinds that the scheme registers in every version of every registered group, and maps to v1. */
const metaKinds = new Set([
  ...['ListOptions', 'GetOptions', 'DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'],
  'WatchEvent',
]);

const isRegistered = (expected: ExpectedType, group: string, version: string, kind: string): boolean =>
  expected.has(group, version, kind) ||
  (metaKinds.has(kind) && group === expected.group && version === expected.version) ||
  (kind.endsWith('List') && expected.has(group, version, kind.slice(0, -'List'.length))) ||
  unversionedKinds.has(kind) ||
  (group === '' && version === 'v1' && commonKinds.has(kind));

function namedType(value: JsonObject, expected: ExpectedType) {
  const { kind, apiVersion } = value;
  const named = typeof apiVersion === 'string' && apiVersion !== '' ? apiVersion : groupVersion(expected);
  return {
    kind: typeof kind === 'string' && kind !== '' ? kind : expected.kind,
    apiVersion: named,
    ...parseGroupVersion(named),
  };
}
