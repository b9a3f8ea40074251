import {
  goCount as count,
  type GoFields,
  goFlag as flag,
  goList as list,
  goMap as map,
  goPointer as pointer,
  goStruct,
  goText as text,
  type GoValue,
  isObject,
  type JsonObject,
  type JsonValue,
} from '@annex/machinery';
import type { CrdVersion } from './crd.ts';
import { withEmptyFields } from './go-shape.ts';

// Values that kube-apiserver quotes in errors.

const struct =
  (fields: () => GoFields): GoValue =>
  (value) =>
    goStruct(fields())(withEmptyFields(isObject(value) ? value : {}));
const structPointer =
  (fields: () => GoFields): GoValue =>
  (value) =>
    isObject(value) ? struct(fields)(value) : null;

const schemaStruct = struct(() => schemaFields);
const schemaPointer = structPointer(() => schemaFields);

const schemaOrList: GoValue = (value) => {
  if (value == null) return null;
  const several = Array.isArray(value) ? value.map(schemaStruct) : null;
  return { Schema: isObject(value) ? schemaStruct(value) : null, JSONSchemas: several };
};
const schemaOrFlag: GoValue = (value) => {
  if (value == null) return null;
  return isObject(value) ? { Allows: true, Schema: schemaStruct(value) } : { Allows: value, Schema: null };
};
const schemaOrNames: GoValue = (value) =>
  Array.isArray(value) ? { Schema: null, Property: value } : { Schema: schemaStruct(value), Property: null };

const ruleFields: GoFields = [
  ['Rule', 'rule', text],
  ['Message', 'message', text],
  ['MessageExpression', 'messageExpression', text],
  ['Reason', 'reason', pointer],
  ['FieldPath', 'fieldPath', text],
  ['OptionalOldSelf', 'optionalOldSelf', pointer],
];

const schemaFields: GoFields = [
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

const versionFields: GoFields = [
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

export const goSchema = (schema: JsonObject): JsonValue => schemaStruct(schema);

export const goRule = (rule: JsonObject): JsonValue => struct(() => ruleFields)(rule);

/** Returns the Go value of the `items` of a schema. */
export const goItems = (items: JsonValue): JsonValue => schemaOrList(items);

/** Returns the Go names of the fields that a schema sets, in the order of the Go type. */
export function goFieldsOf(schema: JsonObject): string[] {
  const value = withEmptyFields(schema);
  return schemaFields.filter(([, json]) => Object.hasOwn(value, json)).map(([go]) => go);
}

export const goVersions = (versions: readonly CrdVersion[] | null): JsonValue =>
  versions?.map((version) => struct(() => versionFields)(version as unknown as JsonObject)) ?? null;
