import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  type JsonObject,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { withEmptyFields } from '../crd/go-shape.ts';
import { partsOf, type SchemaPart } from './schema-parts.ts';
import { type ListRules, mapTypes, validateListType } from './validate-list-type.ts';
import type { RuleContext } from './rule-context.ts';
import { ruleFormErrors } from './validation-rules.ts';

const { forbidden, invalid, notSupported } = fieldErrors;

export interface SchemaRules extends ListRules {
  knownTypes: boolean;
  /** The reason why defaults are not allowed, if they are not. */
  noDefaults?: string;
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const metaFields = ['metadata', 'kind', 'apiVersion'];
const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

/** The position of a schema, and the rules that depend on it. */
interface Place {
  root: boolean;
  /** The reason why defaults are not allowed here, if they are not. */
  noDefaults?: string;
  /** Inside metadata, kind or apiVersion of the root or of an embedded resource. */
  insideMeta: boolean;
  /** Absent where rules are not checked: in junctors, and in schemas that are not structural. */
  context?: RuleContext;
  /** The surrounding list or map whose items cannot be correlated with those of the old object. */
  uncorrelatable?: FieldPath;
}

interface Found {
  schema: FieldError[];
  rules: FieldError[];
}

/** Validates a schema, except for being structural. Rules are checked only if their schema and those inside it have no other errors. */
export function* validateSchema(
  schema: JsonObject,
  path: FieldPath,
  rules: SchemaRules,
  context: RuleContext | undefined,
): Passes<FieldError[]> {
  const { noDefaults } = rules;
  const place: Place = {
    root: true,
    insideMeta: false,
    ...(noDefaults === undefined ? {} : { noDefaults }),
    ...(context ? { context } : {}),
  };
  const found = yield* check(schema, path, place, rules);
  return [...found.schema, ...found.rules, ...(context?.total.errors(path) ?? [])];
}

function* check(schema: JsonObject, path: FieldPath, place: Place, rules: SchemaRules): Passes<Found> {
  yield;
  const found: Found = { schema: ownErrors(schema, path, place, rules), rules: [] };
  for (const part of partsOf(schema, path)) {
    const inside = yield* check(part.schema, part.path, placeOf(part, schema, path, place), rules);
    pushAll(found.schema, inside.schema);
    pushAll(found.rules, inside.rules);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    found.schema.push(
      invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
    );
  }
  pushAll(found.schema, validateListType(schema, path, rules));
  pushAll(found.schema, yield* ruleFormErrors(schema, path));
  if (found.schema.length === 0 && place.context) {
    pushAll(found.rules, yield* place.context.errors(path, place.uncorrelatable));
  }
  return found;
}

function placeOf(part: SchemaPart, parent: JsonObject, path: FieldPath, place: Place): Place {
  const { context, ...here } = place;
  const next: Place = { ...here, root: false };
  if (part.via === 'junctor' || part.via === 'dead') return next;
  if (context) next.context = context.below(part);
  if (part.via === 'items' && parent['x-kubernetes-list-type'] !== 'map') next.uncorrelatable ??= path;
  if (part.via === 'additionalProperties' && place.insideMeta) {
    return { ...next, noDefaults: 'inside additionalProperties applying to object metadata' };
  }
  const mapType = parent['x-kubernetes-map-type'];
  if (part.via === 'property' && mapType !== undefined && !mapTypes.includes(String(mapType))) {
    next.uncorrelatable ??= path;
  }
  if (part.via !== 'property' || !metaFields.includes(part.property ?? '')) return next;
  if (place.root) return { ...next, insideMeta: true, noDefaults: `in top-level ${part.property}` };
  return parent['x-kubernetes-embedded-resource'] ? { ...next, insideMeta: true } : next;
}

function ownErrors(schema: JsonObject, path: FieldPath, place: Place, rules: SchemaRules): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema;
  if (rules.knownTypes && type !== undefined && !types.includes(String(type))) {
    errors.push(notSupported(path.child('type'), type, types));
  }
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    errors.push(forbidden(path.child('default'), `must not be set ${place.noDefaults}`));
  }
  const decoded = withEmptyFields(schema);
  for (const field of unsupported) {
    if (getOwn(field === 'dependencies' ? decoded : schema, field) !== undefined)
      errors.push(forbidden(path.child(field), `${field} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(path.child('items'), 'items must be a schema object and not an array'));
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource']) {
    const detail = 'must not be used inside of resource meta';
    errors.push(forbidden(path.child('x-kubernetes-embedded-resource'), detail));
  }
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(path.child('uniqueItems'), detail));
  }
  const { additionalProperties } = schema;
  if (
    schema.properties !== undefined &&
    additionalProperties !== undefined &&
    additionalProperties !== true
  ) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(path.child('additionalProperties'), detail));
  }
  return errors;
}
