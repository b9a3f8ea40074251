import { DividedVisit, hasManyVisits, type JsonObject, lazily, type Passes } from '@annex/machinery';
import { compileDefaults } from '../compile-defaults.ts';
import type { EmbeddedResources } from '../embedded/embedded-resources.ts';
import { generateDefaults } from '../generated/defaults.ts';
import { generatePrunedness } from '../generated/prunedness.ts';
import type { SchemaNode } from '../node.ts';
import { compileNullRemoval, type NullRemoval } from '../null-removal.ts';
import { ifMany, type ObjectSchema } from '../object-schema.ts';
import { fieldPaths, Pruner } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';

/** What a schema changes in an object: unknown fields, nulls, the metadata of embedded resources, and defaults. */
export interface Changes extends Required<
  Pick<ObjectSchema, 'prune' | 'pruneInPasses' | 'applyDefaults' | 'defaultsInPasses'>
> {
  /** Prunes a stored object; also drops metadata of embedded resources that cannot be decoded. */
  pruneStored(object: JsonObject): void;
  /** The passes of `pruneStored`; `undefined` if the object has few parts. */
  pruneStoredInPasses(object: JsonObject): Passes<void> | undefined;
}

interface ChangesOptions {
  /** Whether unknown fields are removed. */
  pruning: boolean;
  /** Whether the schema is too large for generated functions. */
  isLarge: boolean;
  embedded: EmbeddedResources | undefined;
}

/** Compiles the changes of a schema, in passes over it. */
export function* compileChanges(
  root: SchemaNode,
  { pruning, isLarge, embedded }: ChangesOptions,
): Passes<Changes> {
  const pruner = new Pruner({ ...root, embeddedResource: true });
  yield;
  const removeNulls = compileNullRemoval(root);
  yield;
  const walked = lazily(() => ({ defaults: compileDefaults(root) }));
  const generated = lazily(() => ({ set: generateDefaults(root) }));
  const isPruned = embedded || isLarge ? undefined : lazily(() => generatePrunedness(root));
  const pruneFields = (object: JsonObject): string[] => {
    if (!pruning || isPruned?.()(object) === true) return [];
    const removed = new RemovedFields();
    pruner.prune(object, removed);
    removeNulls?.remove(object);
    return removed.length === 0 ? [] : fieldPaths(removed);
  };
  const pruneFieldsInPasses = (object: JsonObject): Passes<string[]> =>
    removedInPasses(object, pruning ? pruner : undefined, removeNulls);
  const prune = (object: JsonObject): string[] => {
    const unknown = pruneFields(object);
    return embedded === undefined ? unknown : [...unknown, ...embedded.coerce(object)];
  };
  const pruneStored = (object: JsonObject): void => {
    pruneFields(object);
    embedded?.coerceLoosely(object);
  };
  const applyDefaults = (object: JsonObject): void => {
    // The generated function looks at each field of the schema in each item, and has the texts of all defaults.
    if (isLarge || hasManyVisits(object) || walked().defaults?.hasLarge) walked().defaults?.set(object);
    else generated().set?.(object);
  };
  function* pruneLarge(object: JsonObject): Passes<string[]> {
    const unknown = yield* pruneFieldsInPasses(object);
    return embedded === undefined ? unknown : [...unknown, ...(yield* embedded.inPasses.coerce(object))];
  }
  function* pruneLargeStored(object: JsonObject): Passes<void> {
    yield* pruneFieldsInPasses(object);
    if (embedded !== undefined) yield* embedded.inPasses.coerceLoosely(object);
  }
  return {
    prune,
    pruneInPasses: ifMany(pruneLarge),
    pruneStored,
    pruneStoredInPasses: ifMany(pruneLargeStored),
    applyDefaults,
    defaultsInPasses(object) {
      const { defaults } = walked();
      const isLargeThen = defaults !== undefined && (defaults.hasLarge || hasManyVisits(object));
      return isLargeThen ? defaults.setInPasses(object) : undefined;
    },
  };
}

/** Removes unknown fields and nulls, unless there is no pruner. */
function* removedInPasses(
  object: JsonObject,
  pruner: Pruner | undefined,
  removeNulls: NullRemoval | undefined,
): Passes<string[]> {
  if (pruner === undefined) return [];
  const removed = new RemovedFields();
  const visits = new DividedVisit();
  yield* pruner.pruneInPasses(object, removed, visits);
  if (removeNulls !== undefined) yield* removeNulls.removeInPasses(object, visits);
  yield;
  return removed.length === 0 ? [] : fieldPaths(removed);
}
