import { type FieldError, type JsonObject, fieldErrorText, isObject } from '@annex/machinery';
import { type Check, Outcome } from '../check/check.ts';
import { compileCheck } from '../check/check-value.ts';
import { Correlation } from '../check/correlation.ts';
import { compileDefaults, compileNullRemoval } from '../defaulting.ts';
import { compileEmbedded } from '../embedded-resource.ts';
import { type ListCheck, compileListTypes } from '../check/list-types.ts';
import type { SchemaNode } from '../node.ts';
import type { ObjectSchema } from '../object-schema.ts';
import { compilePruner, fieldPaths } from '../pruning.ts';
import { evaluateRules } from '../rules/rule-evaluation.ts';
import { compileRuleTree } from '../rules/rule-tree.ts';
import { structuralNode } from './structural-node.ts';
import { withPrunedDefaults } from './prune-defaults.ts';

/** The compiled schema of one version of a custom resource. */
export interface StructuralSchema extends ObjectSchema {
  decodeError(object: JsonObject): string | undefined;
  /** The errors of a write to the status subresource: only `status` is held against the schema. */
  validateStatus(object: JsonObject, old?: JsonObject): FieldError[];
}

/**
 * Compiles the `openAPIV3Schema` of a CRD version, which must be structural. The type and the metadata at the root are
 * left to others. Pruning includes nulls that may not be null, and the metadata of embedded resources.
 */
export function compileStructural(schema: JsonObject): StructuralSchema {
  const root = withPrunedDefaults(structuralNode(schema));
  const changes = compileChanges(root);
  const check = compileCheck(schema, 'resource', true);
  const statusCheck = compileStatusCheck(schema);
  const lists = compileListTypes(root);
  const embedded = compileEmbedded(root);
  const rules = compileRuleTree(root, true);
  const commonErrors = (object: JsonObject, old?: JsonObject): FieldError[] =>
    (embedded?.validate(object) ?? none).concat(listErrors(lists, object, old));
  return {
    root,
    ...changes,
    decodeError: (object) => {
      const error = embedded?.decodeError(object);
      return error && fieldErrorText(error);
    },
    validate: (object, old) => schemaErrors(check, root, object, old).concat(commonErrors(object, old)),
    validateStatus: (object, old) =>
      statusErrors(statusCheck, root, object, old).concat(commonErrors(object, old)),
    ...(rules ? { validateRules: (object, old) => evaluateRules(rules, object, old) } : {}),
  };
}

function compileChanges(root: SchemaNode): Pick<ObjectSchema, 'prune' | 'applyDefaults'> {
  const pruner = compilePruner({ ...root, embeddedResource: true });
  const removeNulls = compileNullRemoval(root);
  const embedded = compileEmbedded(root);
  const setDefaults = compileDefaults(root);
  return {
    prune: (object) => {
      const removed: string[] = [];
      pruner(object, removed);
      removeNulls?.(object);
      const unknown = removed.length === 0 ? removed : fieldPaths(removed);
      return embedded === undefined ? unknown : [...unknown, ...embedded.coerce(object)];
    },
    applyDefaults: (object) => setDefaults?.(object),
  };
}

function compileStatusCheck(schema: JsonObject): Check | undefined {
  const status = isObject(schema.properties) ? schema.properties.status : undefined;
  return isObject(status) ? compileCheck(status, 'resource', true) : undefined;
}

const none: FieldError[] = [];

function schemaErrors(
  check: Check,
  node: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
): FieldError[] {
  if (check(object, '')) return none;
  const outcome = new Outcome();
  check(object, '', outcome, old && new Correlation(object, old, node));
  return outcome.errors();
}

function statusErrors(
  check: Check | undefined,
  root: SchemaNode,
  object: JsonObject,
  old: JsonObject | undefined,
): FieldError[] {
  const { status } = object;
  if (check === undefined || status === undefined || check(status, '')) return none;
  const outcome = new Outcome();
  check(status, '', outcome, old && new Correlation(object, old, root).field('status'));
  return outcome.errors('status');
}

// A stored object whose lists are broken already is not held to their types.
function listErrors(
  lists: ListCheck | undefined,
  object: JsonObject,
  old: JsonObject | undefined,
): FieldError[] {
  if (lists === undefined || lists(object, '')) return none;
  if (old !== undefined && !lists(old, '')) return none;
  const errors: FieldError[] = [];
  lists(object, '', errors);
  return errors;
}
