import { copyInPasses, deepEqualInPasses } from './json-passes.ts';
import { stringifyJsonInPasses } from './json-text-passes.ts';
import { finish, type Passes } from './passes.ts';
import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { badRequest, failure, type StatusError, tooLarge } from './status.ts';

/** Operations of one JSON patch. */
export const maxJsonPatchOperations = 10_000;

/** Characters of JSON that the `copy` operations of one patch may add. */
export const maxJsonPatchCopyLength = 3 * 1024 * 1024;

/** The reason why an operation of a JSON patch does not apply; becomes the `cause` of the Status. */
export class PatchError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatchError';
  }
}

type Container = JsonObject | JsonValue[];
interface Place {
  container: Container;
  key: string;
  /** The pointer as sent in the operation. */
  path: string;
}
interface Run {
  doc: Container;
  copied: number;
}

/**
 * Applies an RFC 6902 patch and returns the patched document; neither argument is changed. Deviates from the
 * RFC like kube-apiserver (gopkg.in/evanphx/json-patch.v4): array indices may be negative, `replace` adds an
 * absent object member, an absent `value` is null, `test` treats null and absent as equal. Throws a
 * StatusError: 400 for an invalid patch, 413 for too many operations, 422 if an operation fails.
 */
export const applyJsonPatch = (doc: JsonValue, patch: unknown): JsonValue =>
  finish(applyJsonPatchInPasses(doc, patch));

/** The same in passes: 10,000 operations on a list of 200,000 items take seconds, and a value can be as large as a body. */
export function* applyJsonPatchInPasses(doc: JsonValue, patch: unknown): Passes<JsonValue> {
  const operations = acceptedOperations(patch);
  const run: Run = { doc: (yield* copyInPasses(doc)) as Container, copied: 0 };
  for (const operation of operations) {
    yield;
    yield* applyAccepted(run, operation);
  }
  return run.doc;
}

function acceptedOperations(patch: unknown): JsonObject[] {
  const operations = decodeOperations(patch);
  if (operations.length <= maxJsonPatchOperations) return operations;
  throw tooLarge(
    `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
  );
}

function* applyAccepted(run: Run, operation: JsonObject): Passes<void> {
  try {
    const passes = applyOperation(run, operation);
    if (passes !== undefined) yield* passes;
  } catch (error) {
    throw error instanceof PatchError ? rejected(error) : error;
  }
}

const operationFields = new Set(['op', 'path', 'from', 'value']);

/** Returns the errors of strict field validation of a JSON patch: unknown fields of its operations. */
export function jsonPatchUnknownFields(patch: unknown): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation, i) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((field) => !operationFields.has(field))
          .map((field) => `json patch unknown field "[${i}].${field}"`)
      : [],
  );
}

function rejected(cause: PatchError): StatusError {
  const error = failure('Invalid', 'the server rejected our request due to an error in our request', {});
  error.cause = cause;
  return error;
}

function decodeOperations(patch: unknown): JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp');
  for (const operation of patch) {
    if (operation === null) continue;
    if (!isObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp');
    for (const field of ['op', 'path', 'from']) {
      const value = getOwn(operation, field) ?? '';
      if (typeof value !== 'string')
        throw undecodable(value, `struct field jsonPatchOp.${field} of type string`);
    }
  }
  return (patch as (JsonObject | null)[]).map((operation) => operation ?? {});
}

function undecodable(value: unknown, target: string): StatusError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go ${target}`);
}

/** Returns the type name of a JSON value in Go's decoder. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : value === null ? 'null' : typeof value;
}

/** Applies an operation; what takes long for a large value is done in passes. */
type Applier = (run: Run, operation: JsonObject) => Passes<void> | void;

const appliers: Record<string, Applier> = {
  *add(run, operation) {
    const place = placeOf(run, operation, 'path', 'add');
    const value = yield* valueOf(operation);
    withContext(`error in add for path: '${place.path}'`, () => add(place, value));
  },
  remove(run, operation) {
    const place = placeOf(run, operation, 'path', 'remove');
    withContext(`error in remove for path: '${place.path}'`, () => remove(place));
  },
  replace,
  move(run, operation) {
    const from = placeOf(run, operation, 'from', 'move');
    const value = withContext(`error in move for path: '${from.key}'`, () => {
      const found = read(from);
      remove(from);
      return found;
    });
    const place = placeOf(run, operation, 'path', 'move');
    withContext(`error in move for path: '${place.path}'`, () => add(place, value ?? null));
  },
  copy,
  *test(run, operation) {
    const path = pathOf(operation, 'path', 'test');
    const actual =
      path === ''
        ? run.doc
        : withContext(`error in test for path: '${path}'`, () =>
            read(placeOf(run, operation, 'path', 'test')),
          );
    if (!(yield* deepEqualInPasses(actual ?? null, getOwn(operation, 'value') ?? null))) {
      throw new PatchError(`testing value ${path} failed: test failed`);
    }
  },
};

/** Runs a part of an operation, and adds the name of the part to its errors. */
function withContext<T>(part: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof PatchError && !error.message.includes('does not apply')
      ? new PatchError(`${part}: ${error.message}`)
      : error;
  }
}

function applyOperation(run: Run, operation: JsonObject): Passes<void> | void {
  const kind = getOwn(operation, 'op');
  const apply = typeof kind === 'string' && Object.hasOwn(appliers, kind) ? appliers[kind] : undefined;
  if (apply === undefined)
    throw new PatchError(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
  return apply(run, operation);
}

function* replace(run: Run, operation: JsonObject): Passes<void> {
  const value = yield* valueOf(operation);
  const path = pathOf(operation, 'path', 'replace');
  if (path !== '') {
    const place = placeOf(run, operation, 'path', 'replace');
    const { container, key } = place;
    if (!Array.isArray(container)) return setOwn(container, key, value);
    if (!indexExists(place)) {
      throw new PatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    }
    container[indexOf(place, container.length - 1)] = value;
    return;
  }
  if (typeof value !== 'object' || value === null) {
    throw new PatchError('replace operation value must be object or array');
  }
  run.doc = value;
}

function* copy(run: Run, operation: JsonObject): Passes<void> {
  const from = placeOf(run, operation, 'from', 'copy');
  const value = withContext(`error in copy for from: '${from.path}'`, () => read(from)) ?? null;
  const place = placeOf(run, operation, 'path', 'copy');
  run.copied += (yield* stringifyJsonInPasses(value)).length;
  if (run.copied > maxJsonPatchCopyLength) {
    throw new PatchError(
      `the copy operations add ${run.copied} characters, which exceeds the limit of ${maxJsonPatchCopyLength}`,
    );
  }
  const added = yield* copyInPasses(value);
  withContext('error while adding value during copy', () => add(place, added));
}

function add(place: Place, value: JsonValue): void {
  const { container, key } = place;
  if (!Array.isArray(container)) return setOwn(container, key, value);
  if (key === '-') {
    container.push(value);
    return;
  }
  const at = withContext(`value was not a proper array index: '${key}'`, () => integerOf(key));
  container.splice(within(at, container.length), 0, value);
}

function remove(place: Place): void {
  const { container, key } = place;
  if (Array.isArray(container)) container.splice(indexOf(place, container.length - 1), 1);
  else if (!Object.hasOwn(container, key))
    throw new PatchError(`Unable to remove nonexistent key: ${key}: missing value`);
  else delete container[key];
}

function read(place: Place): JsonValue | undefined {
  const { container, key } = place;
  if (Array.isArray(container)) return container[indexOf(place, container.length - 1)];
  return getOwn(container, key) as JsonValue | undefined;
}

const indexOf = (place: Place, last: number): number => within(integerOf(place.key), last);

function integerOf(key: string): number {
  if (/^[+-]?\d+$/.test(key)) return Number(key);
  throw new PatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
}

function within(requestedIndex: number, last: number): number {
  const index = requestedIndex < 0 ? requestedIndex + last + 1 : requestedIndex;
  if (index >= 0 && index <= last) return index;
  throw new PatchError(`Unable to access invalid index: ${requestedIndex}: invalid index referenced`);
}

function indexExists({ container, key }: Place): boolean {
  try {
    within(integerOf(key), (container as JsonValue[]).length - 1);
    return true;
  } catch {
    return false;
  }
}

const valueOf = (operation: JsonObject): Passes<JsonValue> =>
  copyInPasses((getOwn(operation, 'value') ?? null) as JsonValue);

function pathOf(operation: JsonObject, field: 'path' | 'from', kind: string): string {
  const path = getOwn(operation, field);
  if (typeof path === 'string') return path;
  const what = field === 'from' ? 'operation, missing from field: ' : 'operation missing path field: ';
  const prefix = field === 'path' && ['add', 'remove', 'copy'].includes(kind) ? '' : what;
  throw new PatchError(`${kind} operation failed to decode ${field}: ${prefix}missing value`);
}

/** The errors of a path that does not exist, for operations other than add and remove. */
const missing: Readonly<Record<string, (path: string) => string>> = {
  'replace path': (path) => `doc is missing path: ${path}`,
  'move from': (path) => `doc is missing from path: ${path}`,
  'move path': (path) => `doc is missing destination path: ${path}`,
  'copy from': (path) => `doc is missing from path: ${path}`,
  'copy path': (path) => `doc is missing destination path: ${path}`,
  'test path': (path) => `is missing path: ${path}`,
};

/** Returns the container of the pointer's target; the target need not exist. */
function placeOf(run: Run, operation: JsonObject, field: 'path' | 'from', kind: string): Place {
  const path = pathOf(operation, field, kind);
  const nowhere = (): PatchError => {
    const why = missing[`${kind} ${field}`]?.(path) ?? `doc is missing path: "${path}"`;
    return new PatchError(`${kind} operation does not apply: ${why}: missing value`);
  };
  const tokens = path.split('/');
  if (tokens.length < 2) throw nowhere();
  let container = run.doc;
  for (const token of tokens.slice(1, -1)) {
    const next = step(container, unescapeToken(token));
    if (typeof next !== 'object' || next === null) throw nowhere();
    container = next;
  }
  return { container, key: unescapeToken(tokens.at(-1) ?? ''), path };
}

/** Returns the value of a key; nothing for an invalid index. */
function step(container: Container, key: string): JsonValue | undefined {
  const place = { container, key, path: key };
  return Array.isArray(container) && !indexExists(place) ? undefined : read(place);
}

const unescapeToken = (token: string): string =>
  token.includes('~') ? token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : token;
