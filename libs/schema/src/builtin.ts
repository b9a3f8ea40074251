import {
  type DividedVisit,
  type JsonObject,
  type JsonValue,
  type Passes,
  deepCopy,
  getOwn,
  hasManyVisits,
  isKnownWide,
  isManyParts,
  isObject,
  lazily,
  namesInPasses,
  setOwn,
} from '@annex/machinery';
import { goConversionError } from './go-decoding/go-conversion.ts';
import { compileGoDecoder, compileGoDecoderInPasses } from './go-decoding/go-decoding.ts';
import { compileGoFit } from './go-decoding/go-fit.ts';
import { type Normalize, normalFormOf } from './go-decoding/go-normal-form.ts';
import { lazyWalks, type Walk } from './lazy-walks.ts';
import type { SchemaNode } from './node.ts';
import type { GoType, ObjectSchema } from './object-schema.ts';
import { RemovedFields } from './removed-fields.ts';

type GoChecks = 'fits' | 'decodeError' | 'decodeErrorInPasses' | 'conversionError';

/** The compiled schema of a built-in kind, with the checks of Go's decoding. */
export interface BuiltinSchema
  extends Omit<ObjectSchema, GoChecks | 'applyDefaults'>, Pick<GoType, GoChecks> {
  /** With `visits`, the items of long lists wait for its passes. */
  applyDefaults(object: JsonObject, visits?: DividedVisit): void;
}

/**
 * Compiles the schema of a built-in kind. Like kube-apiserver's decoding into Go types, it rejects values of a wrong type,
 * treats null as absent, and adds fields that Go serializes with a zero value. The strategy of the kind validates required
 * fields, limits and formats. Compilation is lazy.
 */
export function compileBuiltin(root: SchemaNode): BuiltinSchema {
  const fits = lazily(() => compileGoFit(root));
  const decode = lazily(() => compileGoDecoder(root));
  const decodeInPasses = lazily(() => compileGoDecoderInPasses(root));
  const prune = lazily(() => lazyWalks(makePruner)(root));
  const setDefaults = lazily(() => lazyWalks<DividedVisit | undefined>(makeDefaults)(root));
  return {
    root,
    fits: (object) => fits()(object),
    decodeError: (object) => decode()(object),
    decodeErrorInPasses: (object) => (hasManyVisits(object) ? decodeInPasses()(object) : undefined),
    *conversionError(object) {
      // Decoding is tried first, because it almost always succeeds. A value that decodes also converts, except for a few zero
      // values.
      if (decode()(object) === undefined) return undefined;
      yield;
      return goConversionError(root, object, (node, value) => compileGoDecoder(node)(value));
    },
    prune: (object) => {
      const removed = new RemovedFields();
      prune()(object, removed);
      return removed.paths().map((path) => path.slice(1));
    },
    applyDefaults: (object, visits) => setDefaults()(object, visits),
    validate: () => [],
  };
}

const nothing = (): void => undefined;

/** Sets the defaults below a value. The items of long lists wait for the passes of a visit, if there is one. */
type DefaultsWalk = Walk<DividedVisit | undefined>;

function makePruner(node: SchemaNode, walkOf: (node: SchemaNode) => Walk): Walk {
  if (node.decodesAs !== undefined) return silentPruner(walkOf(node.decodesAs));
  const { properties, additionalProperties, items } = node;
  const childOf = (child: SchemaNode): Child => ({ walk: walkOf(child), normalize: normalFormOf(child) });
  if (properties !== undefined) {
    return structPruner(new Map([...properties].map(([name, child]) => [name, childOf(child)])));
  }
  if (additionalProperties !== undefined && additionalProperties !== true) {
    return isKeptAsIs(additionalProperties) ? nothing : mapPruner(childOf(additionalProperties));
  }
  return items === undefined || isKeptAsIs(items) ? nothing : listPruner(childOf(items));
}

/** Returns whether pruning changes no value of a node: large maps of texts need not be visited. */
const isKeptAsIs = (node: SchemaNode): boolean =>
  node.decodesAs === undefined &&
  node.properties === undefined &&
  node.items === undefined &&
  (node.additionalProperties ?? true) === true &&
  normalFormOf(node) === undefined;

interface Child {
  walk: Walk;
  normalize: Normalize | undefined;
}

function structPruner(fields: ReadonlyMap<string, Child>): Walk {
  return (value, removed) => {
    if (!isObject(value)) return;
    for (const name in value) {
      const field = fields.get(name);
      if (field === undefined) {
        removed.note(`.${name}`);
        delete value[name];
      } else if (value[name] === null) {
        delete value[name];
      } else if (field.normalize !== undefined) {
        setOwn(value, name, field.normalize(value[name] as JsonValue));
      } else {
        below(`.${name}`, removed, field.walk, value[name] as JsonValue);
      }
    }
  };
}

function mapPruner({ walk, normalize }: Child): Walk {
  return (value, removed) => {
    if (!isObject(value)) return;
    for (const name in value) {
      if (normalize === undefined) below(`.${name}`, removed, walk, value[name] as JsonValue);
      else setOwn(value, name, normalize(value[name] as JsonValue));
    }
  };
}

function listPruner({ walk, normalize }: Child): Walk {
  return (value, removed) => {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as JsonValue;
      if (normalize === undefined) below(`[${i}]`, removed, walk, item);
      else value[i] = normalize(item);
    }
  };
}

function silentPruner(walk: Walk): Walk {
  return (value) => {
    for (const item of Array.isArray(value) ? value : [value]) walk(item, new RemovedFields());
  };
}

/** Walks a value and puts its name before the removed paths. */
function below(head: string, removed: RemovedFields, walk: Walk, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  const before = removed.length;
  walk(value, removed);
  if (removed.length > before) removed.nest(before, head);
}

function makeDefaults(node: SchemaNode, walkOf: (node: SchemaNode) => DefaultsWalk): DefaultsWalk {
  const { properties, items } = node;
  if (properties !== undefined) return structDefaults(properties, walkOf);
  const values = node.additionalProperties === true ? undefined : node.additionalProperties;
  if (values !== undefined) {
    return memberDefaults(values, walkOf(values));
  }
  return items === undefined ? nothing : itemDefaults(items, walkOf(items));
}

function memberDefaults(node: SchemaNode, walk: DefaultsWalk): DefaultsWalk {
  const setMember = (object: JsonObject, name: string, visits: DividedVisit | undefined): void => {
    // permitted: no-inherited-keys, this is one of its own names
    let member = object[name] as JsonValue;
    if (member === null && node.default !== undefined) {
      member = deepCopy(node.default);
      setOwn(object, name, member);
    }
    if (typeof member === 'object') walk(member, visits);
  };
  function* inPasses(object: JsonObject, visits: DividedVisit): Passes<void> {
    yield* visits.each(yield* namesInPasses(object), (name) => setMember(object, name, visits));
  }
  return (value, visits) => {
    if (!isObject(value)) return;
    if (visits !== undefined && isKnownWide(value)) return visits.postpone(inPasses(value, visits));
    for (const name in value) setMember(value, name, visits);
  };
}

function structDefaults(
  properties: Map<string, SchemaNode>,
  walkOf: (node: SchemaNode) => DefaultsWalk,
): DefaultsWalk {
  const defaulted = [...properties].flatMap(([name, { default: fallback }]) =>
    fallback === undefined ? [] : [{ name, fallback }],
  );
  const walks = new Map([...properties].map(([name, child]) => [name, walkOf(child)]));
  return (value, visits) => {
    if (!isObject(value)) return;
    for (const { name, fallback } of defaulted) {
      if ((getOwn(value, name) ?? null) === null) setOwn(value, name, deepCopy(fallback));
    }
    for (const name in value) {
      const field = value[name];
      if (typeof field === 'object' && field !== null) walks.get(name)?.(field, visits);
    }
  };
}

function itemDefaults(node: SchemaNode, walk: DefaultsWalk): DefaultsWalk {
  const setItem = (list: JsonValue[], i: number, visits: DividedVisit | undefined): void => {
    if (list[i] === null && node.default !== undefined) list[i] = deepCopy(node.default);
    walk(list[i] as JsonValue, visits);
  };
  return (value, visits) => {
    if (!Array.isArray(value)) return;
    if (visits !== undefined && isManyParts(value.length))
      return visits.postpone(visits.each(value.keys(), (i) => setItem(value, i, visits)));
    visits?.count(value.length);
    for (let i = 0; i < value.length; i++) setItem(value, i, visits);
  };
}
