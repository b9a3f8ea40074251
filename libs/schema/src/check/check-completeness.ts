import {
  type FieldError,
  type FieldPath,
  type JsonObject,
  type Passes,
  fieldErrors,
  getOwn,
  isObject,
  pushAll,
} from '@annex/machinery';
import { junctorBranches, propertiesOf } from '../structural/structural-form.ts';

/** Returns an error for each field and item that a root junctor constrains but the schema itself does not declare. */
export function checkCompleteness(schema: JsonObject, path: FieldPath): Passes<FieldError[]> {
  return ofJunctors(schema, schema, path, path);
}

/** `inside` is a schema in a junctor for the values of `outside`. */
function* ofJunctors(
  inside: JsonObject,
  outside: JsonObject,
  at: FieldPath,
  insideAt: FieldPath,
): Passes<FieldError[]> {
  const errors: FieldError[] = [];
  if (isObject(inside.not)) pushAll(errors, yield* ofBranch(inside.not, outside, at, insideAt.child('not')));
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, branch] of junctorBranches(inside, junctor).entries()) {
      pushAll(errors, yield* ofBranch(branch, outside, at, insideAt.child(junctor).index(i)));
    }
  }
  return errors;
}

function* ofBranch(
  branch: JsonObject,
  outside: JsonObject | undefined,
  at: FieldPath,
  insideAt: FieldPath,
): Passes<FieldError[]> {
  yield;
  if (outside === undefined)
    return [fieldErrors.required(at, `because it is defined in ${insideAt.toString()}`)];
  const errors = yield* ofJunctors(branch, outside, at, insideAt);
  if (isObject(branch.items)) {
    const items = isObject(outside.items) ? outside.items : undefined;
    pushAll(errors, yield* ofBranch(branch.items, items, at.child('items'), insideAt.child('items')));
  }
  for (const [name, property] of propertiesOf(branch)) {
    const place = (path: FieldPath): FieldPath => path.child('properties').key(name);
    pushAll(errors, yield* ofBranch(property, propertyOf(outside, name), place(at), place(insideAt)));
  }
  return errors;
}

// Many branches may restrict a schema of many properties: they are not listed for each branch.
function propertyOf({ properties }: JsonObject, name: string): JsonObject | undefined {
  const property = isObject(properties) ? getOwn(properties, name) : undefined;
  return isObject(property) ? property : undefined;
}
