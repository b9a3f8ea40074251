import {
  copyInPasses,
  deepCopy,
  DividedVisit,
  errorsInPasses,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  maxFieldErrors,
  nameIsPathSegment,
  type ObjectMeta,
  type Passes,
  validateDns1035Label,
  validateObjectMeta,
  pushAll,
} from '@annex/machinery';
import { eachPart } from './divided-parts.ts';
import { isNullDropped } from './null-removal.ts';
import type { SchemaNode } from './node.ts';
import { coerceMetaInPasses, coerceObjectMeta, dropInvalidMeta, objectMetaError } from './object-meta.ts';
import { RemovedFields } from './removed-fields.ts';
import { sortedJson } from './sorted-json.ts';

/** Visits one embedded resource; an error ends the walk. Nulls in `nullDropped` fields are ignored. */
type Visit = (resource: JsonObject, path: string, nullDropped: ReadonlySet<string>) => FieldError | undefined;

/** The same, and for a resource with many parts. */
interface Visits {
  atOnce: Visit;
  inPasses(...resource: Parameters<Visit>): Passes<FieldError | undefined>;
}

/** The operations on resources that a schema embeds in others. */
export interface EmbeddedResources {
  /** Returns the error if kube-apiserver cannot decode an embedded resource, or `undefined`. */
  decodeError(value: JsonValue, path?: string): FieldError | undefined;
  /** Prunes and normalizes the metadata of embedded resources; returns the sorted paths of unknown fields. */
  coerce(value: JsonValue): string[];
  /** Like `coerce`, but drops metadata that cannot be decoded, as for defaults. */
  coerceLoosely(value: JsonValue): void;
  validate(value: JsonValue, path?: string): FieldError[];
  /** The same for values with many parts. */
  readonly inPasses: {
    decodeError(value: JsonValue): Passes<FieldError | undefined>;
    coerce(value: JsonValue): Passes<string[]>;
    coerceLoosely(value: JsonValue): Passes<void>;
    /** Beyond the errors that are reported, there may be more. */
    validate(value: JsonValue): Passes<FieldError[]>;
  };
}

/** Compiles the operations on embedded resources; `undefined` if a schema has none. */
export function compileEmbedded(root: SchemaNode): EmbeddedResources | undefined {
  const walk = compileWalk(root);
  if (walk === undefined) return undefined;
  const atOnce = (value: JsonValue, visit: Visit, path = '') => walk.visit(value, path, visit);
  const inPasses = (value: JsonValue, visits: Visits) =>
    walk.visitInPasses(value, '', { visits, divided: new DividedVisit() });
  return {
    decodeError: (value, path) => atOnce(value, coercionError, path),
    coerce: (value) => {
      const unknown = new RemovedFields();
      atOnce(value, coercion(unknown));
      return unknown.paths().sort();
    },
    coerceLoosely: (value) => void atOnce(value, coerceLoosely),
    validate: (value, path) => {
      const errors: FieldError[] = [];
      atOnce(value, validation(errors), path);
      return errors;
    },
    inPasses: {
      decodeError: (value) => inPasses(value, inOnePass(coercionError)),
      *coerce(value) {
        const unknown = new RemovedFields();
        yield* inPasses(value, {
          atOnce: coercion(unknown),
          *inPasses(resource, path): Passes<undefined> {
            yield 'long';
            if (resource.metadata === null) resource.metadata = {};
            if (!isObject(resource.metadata)) return;
            noteUnknown(yield* coerceMetaInPasses(resource.metadata), path, unknown);
            yield;
          },
        });
        return unknown.paths().sort();
      },
      *coerceLoosely(value) {
        yield* inPasses(value, inOnePass(coerceLoosely));
      },
      *validate(value) {
        const errors: FieldError[] = [];
        yield* inPasses(value, {
          atOnce: validation(errors),
          *inPasses(resource, path): Passes<undefined> {
            if (errors.length > maxFieldErrors) return;
            pushAll(errors, typeErrors(resource, path));
            const { metadata } = resource;
            if (metadata !== undefined)
              pushAll(errors, yield* metadataErrorsInPasses(metadata, join(path, 'metadata')));
          },
        });
        return errors;
      },
    },
  };
}

/** The metadata of one resource is visited in one pass. */
const inOnePass = (visit: Visit): Visits => ({
  atOnce: visit,
  *inPasses(...resource) {
    yield;
    const error = visit(...resource);
    yield;
    return error;
  },
});

const coercion =
  (unknown: RemovedFields): Visit =>
  (resource, path) => {
    noteUnknown(coerceMetadata(resource), path, unknown);
    return undefined;
  };

function noteUnknown(names: readonly string[], path: string, unknown: RemovedFields): void {
  const head = join(path, 'metadata');
  for (const name of names) unknown.note(`${head}.${name}`);
}

const validation =
  (errors: FieldError[]): Visit =>
  (resource, path) => {
    if (errors.length > maxFieldErrors) return undefined;
    pushAll(errors, typeErrors(resource, path));
    const { metadata } = resource;
    if (metadata !== undefined) pushAll(errors, metadataErrors(metadata, join(path, 'metadata')));
    return undefined;
  };

/** The visits of one large value. */
interface LargeWalk {
  visits: Visits;
  divided: DividedVisit;
}

function compileWalk(node: SchemaNode): NodeWalk | undefined {
  const walk = new NodeWalk(node);
  return walk.isNeeded ? walk : undefined;
}

/** Walks a value of one node of the schema to its embedded resources. */
class NodeWalk {
  readonly isNeeded: boolean;
  readonly #embedded: boolean;
  readonly #declared: ReadonlyMap<string, SchemaNode>;
  readonly #properties = new Map<string, NodeWalk>();
  readonly #additional: NodeWalk | undefined;
  readonly #items: NodeWalk | undefined;
  readonly #nullDropped = new Set<string>();

  constructor(node: SchemaNode) {
    const { additionalProperties, items } = node;
    this.#embedded = node.embeddedResource === true;
    this.#declared = node.properties ?? new Map<string, SchemaNode>();
    for (const [name, child] of this.#declared) {
      const walk = compileWalk(child);
      if (walk !== undefined) this.#properties.set(name, walk);
      if (isNullDropped(child)) this.#nullDropped.add(name);
    }
    const hasSchema = additionalProperties !== undefined && additionalProperties !== true;
    this.#additional = hasSchema ? compileWalk(additionalProperties) : undefined;
    this.#items = items && compileWalk(items);
    this.isNeeded =
      this.#embedded ||
      this.#properties.size > 0 ||
      this.#additional !== undefined ||
      this.#items !== undefined;
  }

  visit(value: JsonValue, path: string, visit: Visit): FieldError | undefined {
    if (Array.isArray(value)) return this.#visitItems(value, path, visit);
    if (!isObject(value)) return undefined;
    const stop = this.#embedded ? visit(value, path, this.#nullDropped) : undefined;
    if (stop !== undefined || !this.#hasParts) return stop;
    for (const name in value) {
      const found = this.#ofMember(name)?.visit(value[name] as JsonValue, this.#pathOf(path, name), visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #visitItems(items: JsonValue[], path: string, visit: Visit): FieldError | undefined {
    const walk = this.#items;
    if (walk === undefined) return undefined;
    for (let i = 0; i < items.length; i++) {
      const found = walk.visit(items[i] as JsonValue, `${path}[${i}]`, visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  *visitInPasses(value: JsonValue, path: string, walk: LargeWalk): Passes<FieldError | undefined> {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    const { visits, divided } = walk;
    let found: FieldError | undefined;
    if (this.#embedded && isObject(value)) found = yield* visits.inPasses(value, path, this.#nullDropped);
    if (Array.isArray(value) ? this.#items === undefined : !this.#hasParts) return found;
    const walkOf = (key: string | number): NodeWalk | undefined =>
      typeof key === 'number' ? this.#items : this.#ofMember(key);
    const pathOf = (key: string | number): string =>
      typeof key === 'number' ? `${path}[${key}]` : this.#pathOf(path, key);
    yield* eachPart(value, divided, {
      atOnce: (part, key) => void (found ??= walkOf(key)?.visit(part, pathOf(key), visits.atOnce)),
      *inPasses(part, key) {
        found ??= yield* walkOf(key)?.visitInPasses(part, pathOf(key), walk) ?? nothing();
      },
    });
    return found;
  }

  get #hasParts(): boolean {
    return this.#properties.size > 0 || this.#additional !== undefined;
  }

  #ofMember(name: string): NodeWalk | undefined {
    return this.#declared.has(name) ? this.#properties.get(name) : this.#additional;
  }

  #pathOf(path: string, name: string): string {
    return this.#declared.has(name) ? join(path, name) : `${path}[${name}]`;
  }
}

function* nothing(): Passes<undefined> {}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Null metadata becomes empty, which the schema can still reject. */
function coerceMetadata(resource: JsonObject): string[] {
  if (resource.metadata === null) resource.metadata = {};
  return isObject(resource.metadata) ? coerceObjectMeta(resource.metadata) : [];
}

const typeFields = ['apiVersion', 'kind'];

const coercionError: Visit = (resource, path, nullDropped) => {
  for (const name of typeFields) {
    const value = getOwn(resource, name);
    if (value === undefined || (value === null && nullDropped.has(name))) continue;
    if (typeof value !== 'string') {
      return fieldErrors.invalid(join(path, name), sortedJson(value), 'must be a string');
    }
  }
  const { metadata } = resource;
  const error = metadata === undefined ? undefined : objectMetaError(metadata);
  return error === undefined
    ? undefined
    : fieldErrors.invalid(join(path, 'metadata'), sortedJson(metadata as JsonValue), error);
};

const coerceLoosely: Visit = (resource) => {
  for (const name of typeFields) {
    if (getOwn(resource, name) !== undefined && typeof getOwn(resource, name) !== 'string')
      delete resource[name];
  }
  if (isObject(resource.metadata)) dropInvalidMeta(resource.metadata);
  coerceMetadata(resource);
  return undefined;
};

function typeErrors(resource: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of typeFields) {
    const at = join(path, name);
    const value = getOwn(resource, name);
    if (value === undefined) errors.push(fieldErrors.required(at));
    else if (typeof value !== 'string') errors.push(fieldErrors.invalid(at, value, 'must be a string'));
    else if (value === '') errors.push(fieldErrors.invalid(at, value, 'must not be empty'));
    else pushAll(errors, name === 'kind' ? kindErrors(value, at) : apiVersionErrors(value, at));
  }
  return errors;
}

function apiVersionErrors(value: string, at: string): FieldError[] {
  if (value.split('/').length <= 2) return [];
  return [fieldErrors.invalid(at, value, `unexpected GroupVersion string: ${value}`)];
}

function kindErrors(value: string, at: string): FieldError[] {
  const messages = validateDns1035Label(value.toLowerCase());
  if (messages.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${messages.join(',')}`;
  return [fieldErrors.invalid(at, value, detail)];
}

function metadataErrors(metadata: JsonValue, at: string): FieldError[] {
  const error = objectMetaError(metadata);
  if (error !== undefined) return [fieldErrors.invalid(at, sortedJson(metadata), error)];
  // The result of an apply is not normalized to ObjectMeta yet.
  const copy = isObject(metadata) ? deepCopy(metadata) : {};
  coerceObjectMeta(copy);
  return coercedErrors(copy, at);
}

function* metadataErrorsInPasses(metadata: JsonValue, at: string): Passes<FieldError[]> {
  yield;
  const error = objectMetaError(metadata);
  yield;
  if (error !== undefined) return [fieldErrors.invalid(at, sortedJson(metadata), error)];
  const copy = isObject(metadata) ? yield* copyInPasses(metadata) : {};
  yield 'long';
  yield* coerceMetaInPasses(copy);
  yield;
  return yield* errorsInPasses(() => coercedErrors(copy, at));
}

function coercedErrors(metadata: JsonObject, at: string): FieldError[] {
  const meta = metadata as ObjectMeta;
  // An embedded resource needs no name, but the check of metadata requires one.
  const named = meta.name ? meta : { ...meta, name: 'fakename' };
  const rules = { namespaced: Boolean(meta.namespace), nameCheck: nameIsPathSegment };
  return validateObjectMeta(named, rules, FieldPath.of(at));
}
