import { DividedVisit, hasManyVisits, type JsonObject, lazily, type Passes } from '@annex/machinery';
import { goConversionError } from '../go-decoding/go-conversion.ts';
import { compileGoDecoder } from '../go-decoding/go-decoding.ts';
import { compileGoDecoderInPasses } from '../go-decoding/go-decoding-passes.ts';
import { compileGoFit } from '../go-decoding/go-fit.ts';
import type { SchemaNode } from '../node.ts';
import { type GoType, ifMany, type ObjectSchema } from '../object-schema.ts';
import { RemovedFields } from '../removed-fields.ts';
import { compileTypeDefaults } from './defaults.ts';
import { compileTypePruner } from './pruning.ts';

type GoChecks = 'fits' | 'decodeError' | 'decodeErrorInPasses' | 'conversionError';

/** The compiled schema of a built-in kind, with the checks of Go's decoding. */
export interface BuiltinSchema
  extends
    Omit<ObjectSchema, GoChecks | 'pruneInPasses' | 'applyDefaults'>,
    Required<Pick<GoType, GoChecks> & Pick<ObjectSchema, 'pruneInPasses'>> {
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
  const pruner = lazily(() => compileTypePruner(root));
  const setDefaults = lazily(() => compileTypeDefaults(root));
  function* pruneLarge(object: JsonObject): Passes<string[]> {
    const removed = new RemovedFields();
    yield* pruner().pruneInPasses(object, removed, new DividedVisit());
    return pathsOf(removed);
  }
  return {
    root,
    fits: (object) => fits()(object),
    decodeError: (object) => decode()(object),
    decodeErrorInPasses: ifMany((object) => decodeInPasses()(object)),
    *conversionError(object) {
      // Decoding is tried first, because it almost always succeeds. A value that decodes also converts, except for a few zero
      // values.
      const error = hasManyVisits(object) ? yield* decodeInPasses()(object) : decode()(object);
      if (error === undefined) return undefined;
      yield;
      return goConversionError(root, object, (node, value) => compileGoDecoder(node)(value));
    },
    prune: (object) => {
      const removed = new RemovedFields();
      pruner().prune(object, removed);
      return pathsOf(removed);
    },
    pruneInPasses: ifMany(pruneLarge),
    applyDefaults: (object, visits) => setDefaults()(object, visits),
    validate: () => [],
  };
}

/** The paths in the order in which Go finds them. */
const pathsOf = (removed: RemovedFields): string[] => removed.paths().map((path) => path.slice(1));
