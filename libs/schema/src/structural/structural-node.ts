import {
  DividedVisit,
  getOwn,
  finish,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  visitNames,
} from '@annex/machinery';
import type { SchemaNode, ValueValidations } from '../node.ts';
import { rulesOf } from '../rules/validation-rule.ts';

/** Converts a CRD version's `openAPIV3Schema` to a tree. */
export const structuralNode = (schema: JsonObject): SchemaNode => finish(structuralNodeInPasses(schema));

/** The same, in passes over the schema. */
export function* structuralNodeInPasses(schema: JsonObject): Passes<SchemaNode> {
  const visits = new DividedVisit();
  const root = convert(schema, visits);
  yield* visits.rest();
  return root;
}

/** Converts a schema, without the properties that wait for a later pass. */
function convert(schema: JsonObject, visits: DividedVisit): SchemaNode {
  const node: SchemaNode = {};
  if (typeof schema.type === 'string' && schema.type !== '')
    node.type = schema.type as NonNullable<SchemaNode['type']>;
  if (typeof schema.format === 'string' && schema.format !== '') node.format = schema.format;
  if (typeof schema.description === 'string') node.description = schema.description;
  if (schema.nullable === true) node.nullable = true;
  if (schema.default !== undefined && schema.default !== null) node.default = schema.default;
  setChildren(node, schema, visits);
  setExtensions(node, schema);
  if (Array.isArray(schema.required)) node.required = strings(schema.required);
  const validations = validationsOf(schema);
  if (validations !== undefined) node.validations = validations;
  return node;
}

function setChildren(node: SchemaNode, schema: JsonObject, visits: DividedVisit): void {
  const { properties } = schema;
  if (isObject(properties)) {
    const nodes = new Map<string, SchemaNode>();
    node.properties = nodes;
    visitNames(properties, visits, (name) => {
      const property = getOwn(properties, name);
      if (isObject(property)) nodes.set(name, convert(property, visits));
    });
  }
  const additional = schema.additionalProperties;
  if (isObject(additional)) node.additionalProperties = convert(additional, visits);
  else if (typeof additional === 'boolean') node.additionalProperties = true;
  if (isObject(schema.items)) node.items = convert(schema.items, visits);
}

function setExtensions(node: SchemaNode, schema: JsonObject): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) node.preserveUnknownFields = true;
  if (schema['x-kubernetes-embedded-resource'] === true) node.embeddedResource = true;
  if (schema['x-kubernetes-int-or-string'] === true) node.intOrString = true;
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'atomic' || listType === 'set' || listType === 'map') node.listType = listType;
  const keys = schema['x-kubernetes-list-map-keys'];
  if (Array.isArray(keys)) node.listMapKeys = strings(keys);
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType === 'atomic' || mapType === 'granular') node.mapType = mapType;
  const rules = rulesOf(schema);
  if (rules.length > 0) node.rules = rules;
}

const strings = (values: JsonValue[]): string[] => values.filter((value) => typeof value === 'string');

const validationNames: readonly (keyof ValueValidations)[] = [
  'enum',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
];

/** Returns the value validations of a schema document, or `undefined` if it has none. */
export function validationsOf(schema: JsonObject): ValueValidations | undefined {
  const validations: Record<string, unknown> = {};
  for (const name of validationNames) if (schema[name] !== undefined) validations[name] = schema[name];
  if (schema.additionalProperties === false) validations.additionalPropertiesForbidden = true;
  return Object.keys(validations).length === 0 ? undefined : validations;
}
