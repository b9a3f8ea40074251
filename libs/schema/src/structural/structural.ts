import {
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Passes,
  errorsInPasses,
  errorsOfPasses,
  fieldErrorText,
  finish,
  isObject,
  lazily,
  pushAll,
} from '@annex/machinery';
import { type Check, Outcome } from '../check/check.ts';
import { compileCheck } from '../check/check-value.ts';
import { reported } from '../check/check-junctors.ts';
import { attempt } from '../check/check-work.ts';
import { Correlation } from '../check/correlation.ts';
import { generateAcceptance } from '../generated/acceptance.ts';
import { generateDefaults } from '../generated/defaults.ts';
import { generatePrunedness } from '../generated/prunedness.ts';
import { compileDefaults } from '../compile-defaults.ts';
import { compileNullRemoval } from '../null-removal.ts';
import { compileEmbedded } from '../embedded-resource.ts';
import { type ListTypes, compileListTypes } from '../check/list-types.ts';
import { searchInPasses } from '../check/long-searches.ts';
import type { SchemaNode } from '../node.ts';
import type { ObjectSchema } from '../object-schema.ts';
import { compilePruner, fieldPaths } from '../pruning.ts';
import { evaluateRules } from '../rules/rule-evaluation.ts';
import { compileRuleTree } from '../rules/rule-tree.ts';
import { isLargeSchema } from '../schema-size.ts';
import { structuralNode } from './structural-node.ts';
import { withPrunedDefaults } from './prune-defaults.ts';

/** The compiled schema of one version of a custom resource. */
export interface StructuralSchema extends ObjectSchema {
  decodeError(object: JsonObject): string | undefined;
  /** Prunes a stored object; also drops metadata of embedded resources that cannot be decoded. */
  pruneStored(object: JsonObject): void;
  /** Validates a write to the status subresource: only `status`, and without embedded resources. */
  validateStatus(object: JsonObject, old?: JsonObject): FieldError[];
}

/** Checks of a kind besides its schema. Their errors follow those of the schema, before those of embedded resources and lists. */
export interface KindChecks {
  ofObject(object: JsonObject): FieldError[];
  /** The checks of a write to the status subresource. */
  ofStatus(object: JsonObject): FieldError[];
}

/** The options of compiling a CRD schema. */
export interface StructuralOptions {
  /** False for a CRD with `preserveUnknownFields`: unknown fields are never removed. */
  pruning?: boolean;
  checks?: KindChecks | undefined;
}

/**
 * Compiles the `openAPIV3Schema` of a CRD version, which must be structural if it prunes. The caller validates the type and
 * the metadata at the root. Pruning also removes nulls that are not allowed, and normalizes the metadata of embedded
 * resources.
 */
export const compileStructural = (schema: JsonObject, options: StructuralOptions = {}): StructuralSchema =>
  finish(compileStructuralInPasses(schema, options));

/** The same for a large schema, in passes over it. */
export function* compileStructuralInPasses(
  schema: JsonObject,
  { pruning = true, checks }: StructuralOptions = {},
): Passes<StructuralSchema> {
  const isLarge = isLargeSchema(schema);
  const node = structuralNode(schema);
  yield;
  const root = withPrunedDefaults(node);
  yield;
  const changes = yield* compileChanges(root, pruning, isLarge);
  const check = lazily(() => compileCheck(schema, 'resource', true, isLarge));
  const statusCheck = lazily(() => ({ check: compileStatusCheck(schema) }));
  const accepts = isLarge ? () => unknown : lazily(() => generateAcceptance(schema));
  const lists = compileListTypes(root);
  yield;
  const embedded = compileEmbedded(root);
  yield;
  const rules = compileRuleTree(root, true);
  return {
    root,
    ...changes,
    decodeError: (object) => {
      const error = embedded?.decodeError(object);
      return error && fieldErrorText(error);
    },
    validate: (object, old) =>
      errorsInSearches(function* () {
        const isValid = attempt(() => accepts()(object) || check().accepts(object)) === true;
        const errors = isValid ? [] : yield* schemaErrors(check(), root, object, old);
        if (checks !== undefined) pushAll(errors, yield* errorsInPasses(() => checks.ofObject(object)));
        if (embedded !== undefined) pushAll(errors, embedded.validate(object));
        if (lists !== undefined) pushAll(errors, yield* listErrors(lists, object, old));
        return errors;
      }),
    validateStatus: (object, old) =>
      errorsInSearches(function* () {
        const errors = yield* statusErrors(statusCheck().check, root, object, old);
        if (checks !== undefined) pushAll(errors, yield* errorsInPasses(() => checks.ofStatus(object)));
        if (lists !== undefined) pushAll(errors, yield* listErrors(lists, object, old));
        return errors;
      }),
    ...(rules ? { validateRules: (object, old) => evaluateRules(rules, object, old) } : {}),
  };
}

/** The full checks decide. */
const unknown = (): boolean => false;

function* compileChanges(
  root: SchemaNode,
  pruning: boolean,
  isLarge: boolean,
): Passes<Pick<StructuralSchema, 'prune' | 'pruneStored' | 'applyDefaults'>> {
  const pruner = compilePruner({ ...root, embeddedResource: true });
  yield;
  const removeNulls = compileNullRemoval(root);
  yield;
  const embedded = compileEmbedded(root);
  yield;
  const setDefaults = lazily(() => ({ run: isLarge ? compileDefaults(root) : generateDefaults(root) }));
  const isPruned = embedded || isLarge ? undefined : lazily(() => generatePrunedness(root));
  const pruneFields = (object: JsonObject): string[] => {
    const removed: string[] = [];
    if (!pruning || isPruned?.()(object) === true) return removed;
    pruner(object, removed);
    removeNulls?.(object);
    return removed;
  };
  return {
    prune: (object) => {
      const removed = pruneFields(object);
      const unknown = removed.length === 0 ? removed : fieldPaths(removed);
      return embedded === undefined ? unknown : [...unknown, ...embedded.coerce(object)];
    },
    pruneStored: (object) => {
      pruneFields(object);
      embedded?.coerceLoosely(object);
    },
    applyDefaults: (object) => setDefaults().run?.(object),
  };
}

function compileStatusCheck(schema: JsonObject): Check | undefined {
  const status = isObject(schema.properties) ? schema.properties.status : undefined;
  return isObject(status) ? compileCheck(status, 'resource', true) : undefined;
}

/** Returns the errors of a validation with patterns. Within `postponeErrors`, those that take more than one pass are postponed. */
const errorsInSearches = (validate: () => Passes<FieldError[]>): FieldError[] =>
  errorsOfPasses(searchInPasses(validate));

function* schemaErrors(
  check: Check,
  node: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
): Passes<FieldError[]> {
  const outcome = new Outcome();
  yield* reported(check, object, '', outcome, old && new Correlation(object, old, node));
  return yield* outcome.errors();
}

function* statusErrors(
  check: Check | undefined,
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
): Passes<FieldError[]> {
  const { status } = object;
  if (check === undefined || status === undefined || attempt(() => check.accepts(status)) === true) return [];
  const outcome = new Outcome();
  yield* reported(check, status, '', outcome, old && statusCorrelation(status, object, old, root));
  return yield* outcome.errors('status');
}

/** A new status is compared with null. */
const statusCorrelation = (status: JsonValue, object: JsonObject, old: JsonObject, root: SchemaNode) =>
  new Correlation(object, old, root).field('status') ??
  new Correlation(status, null, root.properties?.get('status') ?? {});

// An update is not checked if the lists of the stored object are already invalid.
function* listErrors(
  lists: ListTypes,
  object: JsonObject,
  old: JsonObject | undefined,
): Passes<FieldError[]> {
  const errors = yield* duplicatesOf(lists, object);
  if (errors.length === 0 || old === undefined) return errors;
  return (yield* duplicatesOf(lists, old)).length === 0 ? errors : [];
}

function* duplicatesOf(lists: ListTypes, object: JsonObject): Passes<FieldError[]> {
  const errors: FieldError[] = [];
  if (attempt(() => lists.accepts(object)) !== true) yield* lists.report(object, '', errors);
  return errors;
}
