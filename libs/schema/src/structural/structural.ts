import {
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
import { compileEmbedded, type EmbeddedResources } from '../embedded/embedded-resources.ts';
import { type ListTypes, compileListTypes } from '../check/list-types.ts';
import { searchInPasses } from '../check/long-searches.ts';
import type { SchemaNode } from '../node.ts';
import { ifMany, type ObjectSchema } from '../object-schema.ts';
import { evaluateRules } from '../rules/rule-evaluation.ts';
import { compileRuleTree } from '../rules/rule-tree.ts';
import { isLargeSchema } from '../schema-size.ts';
import { type Changes, compileChanges } from './changes.ts';
import { structuralNodeInPasses } from './structural-node.ts';
import { withPrunedDefaults } from './prune-defaults.ts';

/** The compiled schema of one version of a kind with a structural schema. */
export interface DefinedSchema extends ObjectSchema {
  decodeError(object: JsonObject): string | undefined;
  /** Validates a write to the status subresource: only `status`, and without embedded resources. */
  validateStatus(object: JsonObject, old?: JsonObject): FieldError[];
}

/** The compiled schema of one version of a custom resource. */
export interface StructuralSchema extends Omit<DefinedSchema, keyof Changes>, Changes {
  decodeErrorInPasses(object: JsonObject): Passes<string | undefined> | undefined;
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
  const node = yield* structuralNodeInPasses(schema);
  yield;
  const root = yield* withPrunedDefaults(node);
  yield;
  const embedded = compileEmbedded(root);
  yield;
  const changes = yield* compileChanges(root, { pruning, isLarge, embedded });
  const check = lazily(() => compileCheck(schema, 'resource', true, isLarge));
  const statusCheck = lazily(() => ({ check: compileStatusCheck(schema, isLarge) }));
  const accepts = isLarge ? () => unknown : lazily(() => generateAcceptance(schema));
  const lists = compileListTypes(root);
  yield isLarge ? 'long' : undefined;
  const rules = compileRuleTree(root, true);
  return {
    root,
    ...changes,
    decodeError: (object) => {
      const error = embedded?.decodeError(object);
      return error && fieldErrorText(error);
    },
    decodeErrorInPasses: embedded
      ? ifMany((object) => undecodableEmbedded(embedded, object))
      : () => undefined,
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

function* embeddedErrors(embedded: EmbeddedResources, object: JsonObject): Passes<FieldError[]> {
  return hasManyVisits(object) ? yield* embedded.inPasses.validate(object) : embedded.validate(object);
}

function* undecodableEmbedded(embedded: EmbeddedResources, object: JsonObject): Passes<string | undefined> {
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
