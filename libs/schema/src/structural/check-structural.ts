import {
  type FieldError,
  fieldErrors,
  fieldErrorText,
  FieldPath,
  finish,
  getOwn,
  isObject,
  type JsonObject,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { checkCompleteness } from '../check/check-completeness.ts';
import { defaultsErrors } from './check-defaults.ts';
import { checkJunctors } from '../check/check-nested.ts';
import { checkPattern } from '../check/check-string.ts';
import { treeHasUnprunedDefaults } from './prune-defaults.ts';
import {
  isIntOrStringPattern,
  isUnset,
  junctorBranches,
  propertiesOf,
  structuralSchemaError,
} from './structural-form.ts';
import { structuralNodeInPasses } from './structural-node.ts';

const { forbidden, invalid, required } = fieldErrors;

/** Relaxations for an update of a CRD whose stored version violates the rule. */
export interface StructuralRules {
  /** False if defaults can have unknown fields. */
  prunedDefaults?: boolean;
}

/**
 * Returns the errors that prevent a CRD version's `openAPIV3Schema` from being a structural schema: the first unsupported
 * field, else every violation of the rules, else every invalid default.
 */
export const checkStructural = (
  schema: JsonObject,
  path: FieldPath,
  rules: StructuralRules = {},
): FieldError[] => finish(structuralErrors(schema, path, rules));

/** The passes of {@link checkStructural}. */
export function* structuralErrors(
  schema: JsonObject,
  path: FieldPath,
  rules: StructuralRules = {},
): Passes<FieldError[]> {
  const error = structuralSchemaError(schema);
  yield;
  if (error !== undefined) return [invalid(path, '', error)];
  const errors = yield* structuralViolations(schema, path);
  yield;
  return errors.length > 0 ? errors : yield* defaultsErrors(schema, path, rules.prunedDefaults !== false);
}

/** Returns true if a schema is structural; ignores its defaults. */
export function* isStructural(schema: JsonObject): Passes<boolean> {
  const error = structuralSchemaError(schema);
  yield;
  return error === undefined && (yield* structuralViolations(schema, FieldPath.root)).length === 0;
}

/** Returns every violation of the rules of structural schemas, for a schema without a {@link structuralSchemaError}. */
export function* structuralViolations(schema: JsonObject, path: FieldPath): Passes<FieldError[]> {
  const errors = yield* checkNode(schema, path, 'root');
  yield;
  pushAll(errors, yield* checkCompleteness(schema, path));
  yield;
  const texts = new Map(errors.map((error) => [error, fieldErrorText(error)]));
  const textOf = (error: FieldError): string => texts.get(error) ?? '';
  return errors.sort((a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0));
}

/** Returns true for a structural schema with a default that has unknown fields. */
export function* hasUnprunedDefaults(schema: JsonObject): Passes<boolean> {
  if (structuralSchemaError(schema) !== undefined) return false;
  yield;
  const root = yield* structuralNodeInPasses(schema);
  yield;
  return yield* treeHasUnprunedDefaults(root);
}

type Level = 'root' | 'item' | 'field';

function* checkNode(schema: JsonObject, path: FieldPath, level: Level): Passes<FieldError[]> {
  yield;
  const errors: FieldError[] = [];
  if (schema.type === 'array' && !isObject(schema.items)) {
    errors.push(required(path.child('items'), 'must be specified'));
  }
  if (isObject(schema.items)) pushAll(errors, yield* checkNode(schema.items, path.child('items'), 'item'));
  for (const [name, property] of propertiesOf(schema)) {
    pushAll(errors, yield* checkNode(property, path.child('properties').key(name), 'field'));
  }
  if (schema.additionalProperties !== undefined) {
    pushAll(errors, yield* checkAdditional(schema, path.child('additionalProperties'), level));
  }
  pushAll(errors, checkIntOrString(schema, path));
  const own = isIntOrStringPattern(schema);
  const [firstAllOf] = junctorBranches(schema, 'allOf');
  pushAll(
    errors,
    yield* checkJunctors(schema, path, { anyOf: own, inFirstAllOf: isPatternOrNothing(firstAllOf) }),
  );
  pushAll(errors, checkPattern(schema, path));
  pushAll(errors, checkType(schema, path, level));
  pushAll(errors, checkTypeMeta(schema, path, level));
  pushAll(errors, checkEmbedded(schema, path));
  return errors;
}

const isPatternOrNothing = (branch: JsonObject | undefined): boolean =>
  branch !== undefined && isIntOrStringPattern(branch);

function* checkAdditional(schema: JsonObject, path: FieldPath, level: Level): Passes<FieldError[]> {
  const { additionalProperties } = schema;
  const errors = isObject(additionalProperties) ? yield* checkNode(additionalProperties, path, 'field') : [];
  if (level === 'root') errors.push(forbidden(path, 'must not be used at the root'));
  return errors;
}

function checkIntOrString(schema: JsonObject, path: FieldPath): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  return ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']
    .filter((name) => getOwn(schema, name) === true)
    .map((name) => invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true'));
}

const emptyType: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(schema: JsonObject, path: FieldPath, level: Level): FieldError[] {
  const { type } = schema;
  const at = path.child('type');
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(isUnset(type) ? required(at, detail) : invalid(at, type, detail));
  } else if (isUnset(type) && !allowsMissingType(schema)) {
    errors.push(required(at, emptyType[level]));
  }
  if (level === 'root' && !isUnset(type) && type !== 'object') {
    errors.push(invalid(at, type, 'must be object at the root'));
  }
  return errors;
}

const allowsMissingType = (schema: JsonObject): boolean =>
  schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;

/** Checks the type and the metadata at the root of a resource. */
function checkTypeMeta(schema: JsonObject, path: FieldPath, level: Level): FieldError[] {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const errors: FieldError[] = [];
  const expected: Record<string, string> = { kind: 'string', apiVersion: 'string', metadata: 'object' };
  for (const [name, property] of propertiesOf(schema)) {
    const type = Object.hasOwn(expected, name) ? expected[name] : undefined;
    const at = path.child('properties').key(name);
    if (isResource && type !== undefined && property.type !== type) {
      errors.push(invalid(at.child('type'), property.type ?? '', `must be ${type}`));
    }
    if (level === 'root' && name === 'metadata' && restrictsMore(property)) {
      const detail =
        'must not specify anything other than name and generateName, but metadata is implicitly specified';
      errors.push(forbidden(at, detail));
    }
  }
  return errors;
}

const restrictable = new Set(['name', 'generateName']);

// Fields that count as set even if they are empty, as in Go.
const keptEmpty = new Set(['required', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations']);

function restrictsMore(metadata: JsonObject): boolean {
  if (propertiesOf(metadata).some(([name]) => !restrictable.has(name))) return true;
  const ignored = new Set(['type', 'default', 'properties']);
  return Object.entries(metadata).some(
    ([name, value]) => !ignored.has(name) && (keptEmpty.has(name) || !isUnset(value)),
  );
}

function checkEmbedded(schema: JsonObject, path: FieldPath): FieldError[] {
  if (schema['x-kubernetes-embedded-resource'] !== true) return [];
  const errors: FieldError[] = [];
  if (schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(path.child('additionalProperties'), detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] !== true && propertiesOf(schema).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(path.child('properties'), detail));
  }
  return errors;
}
