import {
  type FieldError,
  type FieldPath,
  type JsonObject,
  type JsonValue,
  deepCopy,
  deepCopyInPasses,
  deepEqualInPasses,
  DividedVisit,
  fieldErrors,
  fieldErrorText,
  isObject,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { Outcome } from '../check/check.ts';
import { reported } from '../check/check-junctors.ts';
import { compileCheck } from '../check/check-value.ts';
import { searchInPasses } from '../check/long-searches.ts';
import { type EmbeddedResources, compileEmbedded } from '../embedded/embedded-resources.ts';
import type { SchemaNode } from '../node.ts';
import { type ValuePath, nestAt } from './prune-defaults.ts';
import { Pruner, typeAndMetadata } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';
import { evaluateDefaultRules } from '../rules/rule-evaluation.ts';
import { compileRuleTree } from '../rules/rule-tree.ts';
import { isLargeSchema } from '../schema-size.ts';
import { sortedJson } from '../sorted-json.ts';
import { propertiesOf } from './structural-form.ts';
import { structuralNodeInPasses } from './structural-node.ts';

/** The resource that contains a schema: the custom resource, or one embedded in it. */
interface ResourceContext {
  resource: SchemaNode;
  place: ValuePath;
  /** True within the type or the metadata of the resource. */
  insideMeta: boolean;
  prunedDefaults: boolean;
}

/**
 * Returns an error for every invalid default in a structural schema; with `prunedDefaults`, also for defaults with unknown
 * fields.
 */
export function* defaultsErrors(
  schema: JsonObject,
  path: FieldPath,
  prunedDefaults: boolean,
): Passes<FieldError[]> {
  if (!hasDefault(schema)) return [];
  yield;
  const resource: SchemaNode = { ...(yield* structuralNodeInPasses(schema)), embeddedResource: true };
  yield;
  return yield* checkNode(schema, resource, path, { resource, place: [], insideMeta: false, prunedDefaults });
}

function hasDefault(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasDefault);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, inner]) => name === 'default' || hasDefault(inner));
}

// Ignores defaults of map values, as the reference does.
function* checkNode(
  schema: JsonObject,
  node: SchemaNode,
  path: FieldPath,
  context: ResourceContext,
): Passes<FieldError[]> {
  yield;
  const here = node.embeddedResource ? { ...context, resource: node, place: [], insideMeta: false } : context;
  const errors: FieldError[] = [];
  if (node.default !== undefined) {
    const at = path.child('default');
    const check = here.insideMeta ? metaErrors : defaultErrors;
    pushAll(errors, yield* check(schema, node, at, here));
  }
  if (isObject(schema.items) && node.items !== undefined) {
    const inside: ResourceContext = { ...here, place: [...here.place, 0] };
    pushAll(errors, yield* checkNode(schema.items, node.items, path.child('items'), inside));
  }
  for (const [name, property] of propertiesOf(schema)) {
    const child = node.properties?.get(name);
    if (child === undefined) continue;
    const insideMeta = here.insideMeta || (node.embeddedResource === true && typeAndMetadata.has(name));
    const inside = { ...here, place: [...here.place, name], insideMeta };
    pushAll(errors, yield* checkNode(property, child, path.child('properties').key(name), inside));
  }
  return errors;
}

function* defaultErrors(
  schema: JsonObject,
  node: SchemaNode,
  at: FieldPath,
  context: ResourceContext,
): Passes<FieldError[]> {
  const value = (yield* deepCopyInPasses(node.default)) as JsonValue;
  const unpruned = context.prunedDefaults && (yield* hasUnknownFields(node, value));
  yield;
  const embedded = compileEmbedded(node);
  const invalid = embedded ? embeddedErrors(embedded, value, at.toString()) : [];
  const errors = unpruned ? [fieldErrors.invalid(at, sortedJson(value), 'must not have unknown fields')] : [];
  return [...errors, ...(invalid.length > 0 ? invalid : yield* contentErrors(schema, node, value, at))];
}

function* hasUnknownFields(node: SchemaNode, value: JsonValue): Passes<boolean> {
  const pruned = yield* deepCopyInPasses(value);
  yield;
  yield* new Pruner(node).pruneInPasses(pruned, new RemovedFields(), new DividedVisit());
  yield;
  return !(yield* deepEqualInPasses(pruned, value));
}

/** Validates the embedded resources of a value, and normalizes them if they are valid. */
function embeddedErrors(embedded: EmbeddedResources, value: JsonValue, at: string): FieldError[] {
  const undecodable = embedded.decodeError(value, at);
  if (undecodable) return [undecodable];
  embedded.coerce(value);
  return embedded.validate(value, at);
}

/** Validates a default against its schema; evaluates rules only if there are no other errors. */
function* contentErrors(
  schema: JsonObject,
  node: SchemaNode,
  value: JsonValue,
  at: FieldPath,
): Passes<FieldError[]> {
  const errors = yield* searchInPasses(() => valueErrors(schema, value, at));
  const tree = errors.length === 0 ? compileRuleTree(node, node.embeddedResource === true) : undefined;
  return tree ? yield* evaluateDefaultRules(tree, value, at) : errors;
}

function* valueErrors(schema: JsonObject, value: JsonValue, at: FieldPath): Passes<FieldError[]> {
  const outcome = new Outcome();
  yield* reported(compileCheck(schema, 'default', false, isLargeSchema(schema)), value, '', outcome);
  return yield* outcome.errors(at.toString());
}

function* metaErrors(
  schema: JsonObject,
  node: SchemaNode,
  at: FieldPath,
  context: ResourceContext,
): Passes<FieldError[]> {
  const value = node.default as JsonValue;
  const nested = nestAt(deepCopy(value), context.place);
  const object = isObject(nested) ? nested : {};
  const resource = { apiVersion: 'validation/v1', kind: 'Validation', ...object };
  const embedded = compileEmbedded(context.resource);
  const errors = embedded ? embeddedErrors(embedded, resource, '') : [];
  if (errors.length === 0) return yield* contentErrors(schema, node, value, at);
  const texts = [...new Set(errors.map(fieldErrorText))];
  const detail = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return [fieldErrors.invalid(at, sortedJson(value), `must result in valid metadata: ${detail}`)];
}
