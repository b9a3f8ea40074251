import { type FieldError, hasManyVisits, type JsonObject, type Passes } from '@annex/machinery';
import type { SchemaNode } from './node.ts';
import type { RuleEvaluation } from './rules/rule-evaluation.ts';

/** The checks of a schema whose objects kube-apiserver decodes into a Go type. */
export interface GoType {
  /** The fields that Go serializes for a zero-valued object, besides its type and metadata. */
  readonly empty: JsonObject;
  /**
   * Returns true if an object decodes and keeps all its fields, so that `decodeError` and `prune` are not needed. False
   * means unknown.
   */
  fits(object: JsonObject): boolean;
  /**
   * Returns the error if kube-apiserver cannot decode the object (400 `… cannot be handled as a Kind: <this text>`), before
   * pruning.
   */
  decodeError(object: JsonObject): string | undefined;
  /** The passes of `decodeError`; `undefined` if the object has few parts. */
  decodeErrorInPasses?(object: JsonObject): Passes<string | undefined> | undefined;
  /** Returns the error of kube-apiserver's converter for the result of a strategic merge patch; each walk over the object is a pass. */
  conversionError(object: JsonObject): Passes<string | undefined>;
  /** Returns an object with the fields that its writer owns: also lists that it sent empty, and that are stored as null. */
  owned?(object: JsonObject): JsonObject;
  /** Returns an object with its fields in the order in which Go prints its type. */
  printed(object: JsonObject): JsonObject;
}

/** The validation rules of a schema. */
interface SchemaRules {
  /** Evaluates the validation rules of the schema, for an object that is otherwise valid. */
  validateRules(object: JsonObject, old?: JsonObject): RuleEvaluation;
}

/** The compiled schema of one version of a kind. Methods that change an object change it in place. */
export interface ObjectSchema extends Partial<GoType>, Partial<SchemaRules> {
  /** The schema tree, for merges and publishing. */
  readonly root: SchemaNode;
  /**
   * Removes fields that the schema does not specify; returns their paths (`spec.a[0].b`) in the order in which
   * kube-apiserver reports them. Nulls that count as absent are removed but not returned.
   */
  prune(object: JsonObject): string[];
  /** The passes of `prune`; `undefined` if the object has few parts. */
  pruneInPasses?(object: JsonObject): Passes<string[]> | undefined;
  /** Sets the defaults of absent fields, and of nulls that are not allowed. */
  applyDefaults(object: JsonObject): void;
  /** The passes of `applyDefaults`; `undefined` if the object has few parts also afterwards. */
  defaultsInPasses?(object: JsonObject): Passes<void> | undefined;
  /**
   * Returns all errors; some are postponed within `postponeErrors`. `old` is the stored object of an update: unchanged invalid values are then
   * accepted (ratcheting).
   */
  validate(object: JsonObject, old?: JsonObject): FieldError[];
}

/** The part of a schema that decoding needs. */
export type Decoding = Pick<ObjectSchema, 'decodeError' | 'decodeErrorInPasses' | 'prune' | 'pruneInPasses'>;

/** Returns the error of an object that cannot be decoded, in passes if it has many parts. */
export function* decodeErrorOf(schema: Decoding, object: JsonObject): Passes<string | undefined> {
  const passes = schema.decodeErrorInPasses?.(object);
  return passes === undefined ? schema.decodeError?.(object) : yield* passes;
}

/** Removes the unknown fields of an object and returns their paths, in passes if it has many parts. */
export function* pruneFields(schema: Decoding, object: JsonObject): Passes<string[]> {
  const passes = schema.pruneInPasses?.(object);
  return passes === undefined ? schema.prune(object) : yield* passes;
}

/** Returns the passes over an object; `undefined` if it has few parts. */
export const ifMany =
  <T>(passes: (object: JsonObject) => Passes<T>) =>
  (object: JsonObject): Passes<T> | undefined =>
    hasManyVisits(object) ? passes(object) : undefined;
