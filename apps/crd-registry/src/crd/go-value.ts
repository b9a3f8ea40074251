import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import type { CrdVersion } from './crd.ts';
import { withEmptyFields } from './go-shape.ts';

/** Prints a Go struct as kube-apiserver quotes it in an error: as JSON with Go field names in order, and with empty values. */
type Print = (value: JsonValue | undefined) => JsonValue;
type Fields = readonly (readonly [go: string, json: string, print: Print])[];

const text: Print = (value) => value ?? '';
const flag: Print = (value) => value ?? false;
const count: Print = (value) => value ?? 0;
const pointer: Print = (value) => value ?? null;
const struct =
  (fields: () => Fields): Print =>
  (value) =>
    goStruct(isObject(value) ? value : {}, fields());
const structPointer =
  (fields: () => Fields): Print =>
  (value) =>
    isObject(value) ? goStruct(value, fields()) : null;
const list =
  (item: Print): Print =>
  (value) =>
    Array.isArray(value) ? value.map(item) : null;
const map =
  (item: Print): Print =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, item(value[key])]),
        )
      : null;

const schemaStruct = struct(() => schemaFields);
const schemaPointer = structPointer(() => schemaFields);

const schemaOrList: Print = (value) => {
  if (value == null) return null;
  const several = Array.isArray(value) ? value.map(schemaStruct) : null;
  return { Schema: isObject(value) ? schemaStruct(value) : null, JSONSchemas: several };
};
const schemaOrFlag: Print = (value) => {
  if (value == null) return null;
  return isObject(value) ? { Allows: true, Schema: schemaStruct(value) } : { Allows: value, Schema: null };
};
const schemaOrNames: Print = (value) =>
  Array.isArray(value) ? { Schema: null, Property: value } : { Schema: schemaStruct(value), Property: null };

const ruleFields: Fields = [
  ['Rule', 'rule', text],
  ['Message', 'message', text],
  ['MessageExpression', 'messageExpression', text],
  ['Reason', 'reason', pointer],
  ['FieldPath', 'fieldPath', text],
  ['OptionalOldSelf', 'optionalOldSelf', pointer],
];

const schemaFields: Fields = [
  ['ID', 'id', text],
  ['Schema', '$schema', text],
  ['Ref', '$ref', pointer],
  ['Description', 'description', text],
  ['Type', 'type', text],
  ['Nullable', 'nullable', flag],
  ['Format', 'format', text],
  ['Title', 'title', text],
  ['Default', 'default', pointer],
  ['Maximum', 'maximum', pointer],
  ['ExclusiveMaximum', 'exclusiveMaximum', flag],
  ['Minimum', 'minimum', pointer],
  ['ExclusiveMinimum', 'exclusiveMinimum', flag],
  ['MaxLength', 'maxLength', pointer],
  ['MinLength', 'minLength', pointer],
  ['Pattern', 'pattern', text],
  ['MaxItems', 'maxItems', pointer],
  ['MinItems', 'minItems', pointer],
  ['UniqueItems', 'uniqueItems', flag],
  ['MultipleOf', 'multipleOf', pointer],
  ['Enum', 'enum', pointer],
  ['MaxProperties', 'maxProperties', pointer],
  ['MinProperties', 'minProperties', pointer],
  ['Required', 'required', pointer],
  ['Items', 'items', schemaOrList],
  ['AllOf', 'allOf', list(schemaStruct)],
  ['OneOf', 'oneOf', list(schemaStruct)],
  ['AnyOf', 'anyOf', list(schemaStruct)],
  ['Not', 'not', schemaPointer],
  ['Properties', 'properties', map(schemaStruct)],
  ['AdditionalProperties', 'additionalProperties', schemaOrFlag],
  ['PatternProperties', 'patternProperties', map(schemaStruct)],
  ['Dependencies', 'dependencies', map(schemaOrNames)],
  ['AdditionalItems', 'additionalItems', schemaOrFlag],
  ['Definitions', 'definitions', map(schemaStruct)],
  [
    'ExternalDocs',
    'externalDocs',
    structPointer(() => [
      ['Description', 'description', text],
      ['URL', 'url', text],
    ]),
  ],
  ['Example', 'example', pointer],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', flag],
  ['XIntOrString', 'x-kubernetes-int-or-string', flag],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', pointer],
  ['XListType', 'x-kubernetes-list-type', pointer],
  ['XMapType', 'x-kubernetes-map-type', pointer],
  ['XValidations', 'x-kubernetes-validations', list(struct(() => ruleFields))],
];

const versionFields: Fields = [
  ['Name', 'name', text],
  ['Served', 'served', flag],
  ['Storage', 'storage', flag],
  ['Deprecated', 'deprecated', flag],
  ['DeprecationWarning', 'deprecationWarning', pointer],
  ['Schema', 'schema', structPointer(() => [['OpenAPIV3Schema', 'openAPIV3Schema', schemaPointer]])],
  [
    'Subresources',
    'subresources',
    structPointer(() => [
      ['Status', 'status', structPointer(() => [])],
      [
        'Scale',
        'scale',
        structPointer(() => [
          ['SpecReplicasPath', 'specReplicasPath', text],
          ['StatusReplicasPath', 'statusReplicasPath', text],
          ['LabelSelectorPath', 'labelSelectorPath', pointer],
        ]),
      ],
    ]),
  ],
  [
    'AdditionalPrinterColumns',
    'additionalPrinterColumns',
    list(
      struct(() => [
        ['Name', 'name', text],
        ['Type', 'type', text],
        ['Format', 'format', text],
        ['Description', 'description', text],
        ['Priority', 'priority', count],
        ['JSONPath', 'jsonPath', text],
      ]),
    ),
  ],
  ['SelectableFields', 'selectableFields', list(struct(() => [['JSONPath', 'jsonPath', text]]))],
];

function goStruct(record: JsonObject, fields: Fields): JsonObject {
  const value = withEmptyFields(record);
  return Object.fromEntries(
    fields.map(([go, json, print]) => [go, print(Object.hasOwn(value, json) ? value[json] : undefined)]),
  );
}

export const goSchema = (schema: JsonObject): JsonValue => schemaStruct(schema);

export const goRule = (rule: JsonObject): JsonValue => goStruct(rule, ruleFields);

/** Returns the Go value of the `items` of a schema. */
export const goItems = (items: JsonValue): JsonValue => schemaOrList(items);

/** Returns the Go names of the fields that a schema sets, in the order of the Go type. */
export function goFieldsOf(schema: JsonObject): string[] {
  const value = withEmptyFields(schema);
  return schemaFields.filter(([, json]) => Object.hasOwn(value, json)).map(([go]) => go);
}

export const goVersions = (versions: readonly CrdVersion[] | null): JsonValue =>
  versions?.map((version) => goStruct(version as unknown as JsonObject, versionFields)) ?? null;
