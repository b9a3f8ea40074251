import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { checkPattern } from './check-string.ts';
import { isUnset, junctorBranches, propertiesOf } from '../structural/structural-form.ts';

/** The int-or-string patterns of a schema; they allow a `type` in a junctor. */
export interface SkippedPatterns {
  anyOf?: boolean;
  inFirstAllOf?: boolean;
}

/** Returns the violations inside the junctors of a schema. */
export function* checkJunctors(
  schema: JsonObject,
  path: FieldPath,
  skip: SkippedPatterns = {},
): Passes<FieldError[]> {
  const errors: FieldError[] = [];
  for (const junctor of ['anyOf', 'allOf', 'oneOf'] as const) {
    if (junctor === 'anyOf' && skip.anyOf) continue;
    for (const [i, branch] of junctorBranches(schema, junctor).entries()) {
      const pattern = junctor === 'allOf' && i === 0 && skip.inFirstAllOf === true;
      pushAll(errors, yield* checkBranch(branch, path.child(junctor).index(i), { anyOf: pattern }));
    }
  }
  if (isObject(schema.not)) pushAll(errors, yield* checkBranch(schema.not, path.child('not')));
  return errors;
}

/** The fields that are forbidden inside a junctor, with the error message of each. */
const forbiddenInside: readonly [field: string, detail: string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

// In Go these fields are pointers, so that false and the empty string are set values.
const definedWhenEmpty = new Set(['default', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

function* checkBranch(branch: JsonObject, path: FieldPath, skip: SkippedPatterns = {}): Passes<FieldError[]> {
  yield;
  const errors = yield* checkJunctors(branch, path, skip);
  pushAll(errors, checkPattern(branch, path));
  if (isObject(branch.items)) pushAll(errors, yield* checkBranch(branch.items, path.child('items')));
  for (const [name, property] of propertiesOf(branch)) {
    const at = path.child('properties').key(name);
    pushAll(errors, yield* checkBranch(property, at));
    if (name === 'metadata') {
      errors.push(fieldErrors.forbidden(at, 'must not be specified in a nested context'));
    }
  }
  for (const [name, detail] of forbiddenInside) {
    const value = getOwn(branch, name);
    const unset = definedWhenEmpty.has(name) ? value === undefined || value === null : isUnset(value);
    if (!unset) errors.push(fieldErrors.forbidden(path.child(name), detail));
  }
  return errors;
}
