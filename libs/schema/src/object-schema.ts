import type { FieldError, JsonObject } from '@annex/machinery';
import type { SchemaNode } from './node.ts';
import type { RuleEvaluation } from './rules/rule-evaluation.ts';

/**
 * The compiled schema of one version of a kind. Everything is compiled when it is made, nothing per request.
 * Functions that change an object change it in place.
 */
export interface ObjectSchema {
  /** The tree, for merges and publishing. */
  readonly root: SchemaNode;
  /** What Go writes of an object that nobody has filled in, beside its type and its metadata; absent where that is not known from here. */
  readonly empty?: JsonObject;
  /**
   * True for an object that decodes and keeps all of its fields: then neither `decodeError` nor `prune` need be asked. May say false of
   * others as well; absent where nobody can tell.
   */
  fits?(object: JsonObject): boolean;
  /** Why kube refuses to decode the object at all (400 `… cannot be handled as a Kind: <this text>`), before pruning. */
  decodeError?(object: JsonObject): string | undefined;
  /** The same of an object that a strategic merge patch made, in the words of kube's converter. */
  conversionError?(object: JsonObject): string | undefined;
  /**
   * Removes fields the schema does not specify; returns their paths (`spec.a[0].b`), in the order kube reports them.
   * Nulls that count as absent go without a word.
   */
  prune(object: JsonObject): string[];
  /** Sets the defaults of absent fields and of nulls that may not be null. */
  applyDefaults(object: JsonObject): void;
  /** All errors at once; `old` is the stored object of an update, and unchanged invalid values are then let through (ratcheting). */
  validate(object: JsonObject, old?: JsonObject): FieldError[];
  /** An object with its members in the order in which Go prints its type; absent where that is not known. */
  printed?(object: JsonObject): JsonObject;
  /** What the validation rules of the schema say; absent where it has none. Only for objects that are otherwise well-formed. */
  validateRules?(object: JsonObject, old?: JsonObject): RuleEvaluation;
}
