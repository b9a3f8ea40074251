import {
  deepCopy,
  deepEqual,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  stringifyJson,
} from './json.ts';
import { badRequest, failure, type StatusError, tooLarge } from './status.ts';

/** How many operations one JSON patch may have. */
export const maxJsonPatchOperations = 10_000;

/** How much the `copy` operations of one patch may add, in characters of JSON. */
export const maxJsonPatchCopyLength = 3 * 1024 * 1024;

/** Why an operation of a JSON patch does not apply. It is the `cause` of the Status that the client sees. */
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
  /** As the operation names it. */
  path: string;
}
interface Run {
  doc: Container;
  copied: number;
}

/**
 * Applies an RFC 6902 patch and returns the patched document; neither argument is changed.
 * Deviates from the RFC where kube-apiserver does (gopkg.in/evanphx/json-patch.v4): array indices may be negative, `replace` adds
 * an absent object member, an absent `value` is null, `test` takes null and absent as equal.
 * Throws a StatusError: 400 for what is no patch, 413 for too many operations, 422 where an operation fails.
 */
export function applyJsonPatch(doc: JsonValue, patch: unknown): JsonValue {
  const operations = decodeOperations(patch);
  if (operations.length > maxJsonPatchOperations) {
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  }
  if (operations.length === 0) return doc;
  const run: Run = { doc: deepCopy(doc) as Container, copied: 0 };
  try {
    for (const operation of operations) applyOperation(run, operation);
  } catch (error) {
    throw error instanceof PatchError ? rejected(error) : error;
  }
  return run.doc;
}

const operationFields = new Set(['op', 'path', 'from', 'value']);

/** The complaints of strict field validation about a JSON patch: fields that its operations do not have. */
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

/** The name that Go's decoder gives to a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : value === null ? 'null' : typeof value;
}

const appliers: Record<string, (run: Run, operation: JsonObject) => void> = {
  add(run, operation) {
    const place = placeOf(run, operation, 'path', 'add');
    telling(`error in add for path: '${place.path}'`, () => add(place, valueOf(operation)));
  },
  remove(run, operation) {
    const place = placeOf(run, operation, 'path', 'remove');
    telling(`error in remove for path: '${place.path}'`, () => remove(place));
  },
  replace,
  move(run, operation) {
    const from = placeOf(run, operation, 'from', 'move');
    const value = telling(`error in move for path: '${from.key}'`, () => {
      const found = read(from);
      remove(from);
      return found;
    });
    const place = placeOf(run, operation, 'path', 'move');
    telling(`error in move for path: '${place.path}'`, () => add(place, value ?? null));
  },
  copy,
  test(run, operation) {
    const path = pathOf(operation, 'path', 'test');
    const actual =
      path === ''
        ? run.doc
        : telling(`error in test for path: '${path}'`, () => read(placeOf(run, operation, 'path', 'test')));
    if (!deepEqual(actual ?? null, getOwn(operation, 'value') ?? null)) {
      throw new PatchError(`testing value ${path} failed: test failed`);
    }
  },
};

/** Runs a part of an operation; its errors say which part that was. */
function telling<T>(part: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof PatchError && !error.message.includes('does not apply')
      ? new PatchError(`${part}: ${error.message}`)
      : error;
  }
}

function applyOperation(run: Run, operation: JsonObject): void {
  const kind = getOwn(operation, 'op');
  const apply = typeof kind === 'string' && Object.hasOwn(appliers, kind) ? appliers[kind] : undefined;
  if (apply === undefined)
    throw new PatchError(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
  apply(run, operation);
}

function replace(run: Run, operation: JsonObject): void {
  const value = valueOf(operation);
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

function copy(run: Run, operation: JsonObject): void {
  const from = placeOf(run, operation, 'from', 'copy');
  const value = telling(`error in copy for from: '${from.path}'`, () => read(from)) ?? null;
  const place = placeOf(run, operation, 'path', 'copy');
  run.copied += stringifyJson(value).length;
  if (run.copied > maxJsonPatchCopyLength) {
    throw new PatchError(
      `the copy operations add ${run.copied} characters, which exceeds the limit of ${maxJsonPatchCopyLength}`,
    );
  }
  telling('error while adding value during copy', () => add(place, deepCopy(value)));
}

function add(place: Place, value: JsonValue): void {
  const { container, key } = place;
  if (!Array.isArray(container)) return setOwn(container, key, value);
  if (key === '-') {
    container.push(value);
    return;
  }
  const at = telling(`value was not a proper array index: '${key}'`, () => integerOf(key));
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

function within(given: number, last: number): number {
  const index = given < 0 ? given + last + 1 : given;
  if (index >= 0 && index <= last) return index;
  throw new PatchError(`Unable to access invalid index: ${given}: invalid index referenced`);
}

function indexExists({ container, key }: Place): boolean {
  try {
    within(integerOf(key), (container as JsonValue[]).length - 1);
    return true;
  } catch {
    return false;
  }
}

const valueOf = (operation: JsonObject): JsonValue =>
  deepCopy((getOwn(operation, 'value') ?? null) as JsonValue);

function pathOf(operation: JsonObject, field: 'path' | 'from', kind: string): string {
  const path = getOwn(operation, field);
  if (typeof path === 'string') return path;
  const what = field === 'from' ? 'operation, missing from field: ' : 'operation missing path field: ';
  const told = field === 'path' && ['add', 'remove', 'copy'].includes(kind) ? '' : what;
  throw new PatchError(`${kind} operation failed to decode ${field}: ${told}missing value`);
}

/** How a path that leads nowhere is told, where it is not that of adding and removing. */
const missing: Readonly<Record<string, (path: string) => string>> = {
  'replace path': (path) => `doc is missing path: ${path}`,
  'move from': (path) => `doc is missing from path: ${path}`,
  'move path': (path) => `doc is missing destination path: ${path}`,
  'copy from': (path) => `doc is missing from path: ${path}`,
  'copy path': (path) => `doc is missing destination path: ${path}`,
  'test path': (path) => `is missing path: ${path}`,
};

/** The container that holds what the pointer names, which itself need not be there. */
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

/** What is under a key; nothing for what is no index. */
function step(container: Container, key: string): JsonValue | undefined {
  const place = { container, key, path: key };
  return Array.isArray(container) && !indexExists(place) ? undefined : read(place);
}

const unescapeToken = (token: string): string =>
  token.includes('~') ? token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : token;
