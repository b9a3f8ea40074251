import {
  DividedVisit,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Passes,
  errorsInPasses,
  errorsOfPasses,
  fieldErrorText,
  finish,
  hasManyVisits,
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
import { compileNullRemoval, type NullRemoval } from '../null-removal.ts';
import { compileEmbedded, type EmbeddedResources } from '../embedded-resource.ts';
import { type ListTypes, compileListTypes } from '../check/list-types.ts';
import { searchInPasses } from '../check/long-searches.ts';
import type { SchemaNode } from '../node.ts';
import type { ObjectSchema } from '../object-schema.ts';
import { fieldPaths, Pruner } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';
import { evaluateRules } from '../rules/rule-evaluation.ts';
import { compileRuleTree } from '../rules/rule-tree.ts';
import { isLargeSchema } from '../schema-size.ts';
import { structuralNode } from './structural-node.ts';
import { withPrunedDefaults } from './prune-defaults.ts';

/** The compiled schema of one version of a kind with a structural schema. */
export interface DefinedSchema extends ObjectSchema {
  decodeError(object: JsonObject): string | undefined;
  /** Validates a write to the status subresource: only `status`, and without embedded resources. */
  validateStatus(object: JsonObject, old?: JsonObject): FieldError[];
}

/** The compiled schema of one version of a custom resource. */
export interface StructuralSchema extends DefinedSchema {
  decodeErrorInPasses(object: JsonObject): Passes<string | undefined> | undefined;
  pruneInPasses(object: JsonObject): Passes<string[]> | undefined;
  defaultsInPasses(object: JsonObject): Passes<void> | undefined;
  /** Prunes a stored object; also drops metadata of embedded resources that cannot be decoded. */
  pruneStored(object: JsonObject): void;
  /** The passes of `pruneStored`; `undefined` if the object has few parts. */
  pruneStoredInPasses(object: JsonObject): Passes<void> | undefined;
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
  const root = yield* withPrunedDefaults(node);
  yield;
  const changes = yield* compileChanges(root, pruning, isLarge);
  const check = lazily(() => compileCheck(schema, 'resource', true, isLarge));
  const statusCheck = lazily(() => ({ check: compileStatusCheck(schema, isLarge) }));
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
    decodeErrorInPasses: (object) =>
      embedded !== undefined && hasManyVisits(object) ? decodeErrorOf(embedded, object) : undefined,
    validate(object, old) {
      const isValid = attempt(() => accepts()(object) || check().accepts(object)) === true;
      if (isValid && checks === undefined && embedded === undefined && haveNoDuplicates(lists, object))
        return [];
      return errorsInSearches(function* () {
        const errors = isValid ? [] : yield* schemaErrors(check(), root, object, old);
        if (checks !== undefined) pushAll(errors, yield* errorsInPasses(() => checks.ofObject(object)));
        if (embedded !== undefined) pushAll(errors, yield* embeddedErrors(embedded, object));
        if (lists !== undefined) pushAll(errors, yield* listErrors(lists, object, old));
        return errors;
      });
    },
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

type Changes =
  | 'prune'
  | 'pruneInPasses'
  | 'pruneStored'
  | 'pruneStoredInPasses'
  | 'applyDefaults'
  | 'defaultsInPasses';

function* compileChanges(
  root: SchemaNode,
  pruning: boolean,
  isLarge: boolean,
): Passes<Pick<StructuralSchema, Changes>> {
  const pruner = new Pruner({ ...root, embeddedResource: true });
  yield;
  const removeNulls = compileNullRemoval(root);
  yield;
  const embedded = compileEmbedded(root);
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
    pruneInPasses: (object) => (hasManyVisits(object) ? pruneLarge(object) : undefined),
    pruneStored,
    pruneStoredInPasses: (object) => (hasManyVisits(object) ? pruneLargeStored(object) : undefined),
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

function* embeddedErrors(embedded: EmbeddedResources, object: JsonObject): Passes<FieldError[]> {
  return hasManyVisits(object) ? yield* embedded.inPasses.validate(object) : embedded.validate(object);
}

function* decodeErrorOf(embedded: EmbeddedResources, object: JsonObject): Passes<string | undefined> {
  const error = yield* embedded.inPasses.decodeError(object);
  return error && fieldErrorText(error);
}

function compileStatusCheck(schema: JsonObject, isLarge: boolean): Check | undefined {
  const status = isObject(schema.properties) ? schema.properties.status : undefined;
  return isObject(status) ? compileCheck(status, 'resource', true, isLarge) : undefined;
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

/** False means unknown. */
const haveNoDuplicates = (lists: ListTypes | undefined, object: JsonObject): boolean =>
  lists === undefined || attempt(() => lists.accepts(object)) === true;

function* duplicatesOf(lists: ListTypes, object: JsonObject): Passes<FieldError[]> {
  const errors: FieldError[] = [];
  if (!haveNoDuplicates(lists, object)) yield* lists.report(object, '', errors);
  return errors;
}
