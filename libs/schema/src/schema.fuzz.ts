import {
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  finish,
  nestsTooDeep,
  parseJson,
  StatusError,
} from '@annex/machinery';
import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { applyPatch } from './apply/apply.ts';
import { fieldSetFromJson, fieldSetToJson } from './managed-fields/field-set-json.ts';
import { applyStrategicMergePatch } from './strategic-merge/strategic-merge.ts';
import { checkStructural } from './structural/check-structural.ts';
import { compileStructural } from './structural/structural.ts';
import { openApiNode } from './openapi-node.ts';

/** Parses JSON documents separated by line feeds; `undefined` if one of them is not an object, or nests too deeply. */
function documentsOf(input: Uint8Array, count: number): JsonObject[] | undefined {
  const parts = utf8Text(input).split('\n', count);
  const values = parts.map((part) => orError((): JsonValue => parseJson(part), [SyntaxError]));
  const objects = values.filter((value): value is JsonObject => !(value instanceof Error) && isObject(value));
  return objects.length === count && !objects.some((object) => finish(nestsTooDeep(object)))
    ? objects
    : undefined;
}

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      default: { n: 1 },
      properties: {
        n: { type: 'integer', format: 'int32', minimum: 0, maximum: 10, multipleOf: 2 },
        s: { type: 'string', pattern: '^(a|b)*$', maxLength: 5, enum: ['a', 'b'], nullable: true },
        l: {
          type: 'array',
          maxItems: 3,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' }, v: { 'x-kubernetes-int-or-string': true } },
          },
        },
        m: { type: 'object', additionalProperties: { type: 'string', format: 'date-time' } },
        e: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        o: {
          type: 'object',
          properties: { a: { type: 'string' } },
          oneOf: [{ required: ['a'] }, { not: { required: ['a'] } }],
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'self.n >= 0 && (!has(self.s) || self.s != "x")',
          messageExpression: '"n is " + string(self.n)',
        },
      ],
    },
  },
};
const widget = {
  apiVersion: 'g/v1',
  kind: 'W',
  metadata: { name: 'a' },
  spec: {
    n: 2,
    s: 'a',
    l: [{ k: 'x', v: 1 }],
    m: { t: '2026-01-01T00:00:00Z' },
    e: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
    extra: 1,
  },
};
const words = [
  '"type"',
  '"object"',
  '"array"',
  '"items"',
  '"properties"',
  '"additionalProperties"',
  '"pattern"',
  '"format"',
  '"default"',
  '"enum"',
  '"x-kubernetes-validations"',
  '"rule"',
  '"x-kubernetes-list-type"',
  '"x-kubernetes-preserve-unknown-fields":true',
  '"nullable":true',
  '"anyOf"',
  'null',
  '"__proto__"',
  '\n',
  '"metadata"',
  '"managedFields"',
];

const podComponents = {
  Pod: {
    type: 'object',
    properties: { metadata: { type: 'object' }, spec: { $ref: '#/components/schemas/Spec' } },
  },
  Spec: {
    type: 'object',
    properties: {
      containers: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            ports: {
              type: 'array',
              items: { type: 'object' },
              'x-kubernetes-patch-merge-key': 'p',
              'x-kubernetes-patch-strategy': 'merge',
            },
          },
        },
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
      },
      names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' },
    },
  },
} as never;

const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';
const isListOf = (value: JsonValue, isOne: (item: JsonValue) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);
const isMapOf = (value: JsonValue, isOne: (item: JsonValue) => boolean): boolean =>
  isObject(value) && Object.values(value).every((item) => isOne(item as JsonValue));
const isTypedNode = (value: JsonValue): boolean => isObject(value) && isTyped(value);
const isNumber = (value: JsonValue): boolean => typeof value === 'number' || typeof value === 'bigint';
const isFlag = (value: JsonValue): boolean => typeof value === 'boolean';
const isRule = (value: JsonValue): boolean =>
  isObject(value) && isText(value.rule) && isMapOf(value, (field) => isText(field) || isFlag(field));

type TypeTest = (value: JsonValue) => boolean;
const sharing = (test: TypeTest, ...keywords: string[]): [string, TypeTest][] =>
  keywords.map((keyword) => [keyword, test]);
/** The Go types of the keywords of a schema. */
const keywordTypes = new Map<string, TypeTest>([
  ...sharing(isText, 'type', 'format', 'pattern', 'x-kubernetes-list-type', 'x-kubernetes-map-type'),
  ...sharing(isNumber, 'minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'),
  ...sharing(isNumber, 'minProperties', 'maxProperties'),
  ...sharing(isFlag, 'nullable', 'uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...sharing(isFlag, 'x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'),
  ...sharing(isFlag, 'x-kubernetes-preserve-unknown-fields'),
  ...sharing((value) => isListOf(value, isText), 'required', 'x-kubernetes-list-map-keys'),
  ...sharing((value) => isListOf(value, () => true), 'enum'),
  ...sharing((value) => isMapOf(value, isTypedNode), 'properties'),
  ...sharing((value) => isListOf(value, isTypedNode), 'allOf', 'anyOf', 'oneOf'),
  ...sharing(isTypedNode, 'items', 'not'),
  ...sharing((value) => isFlag(value) || isTypedNode(value), 'additionalProperties'),
  ...sharing((value) => isListOf(value, isRule), 'x-kubernetes-validations'),
]);

/** True where all keywords have the types that decoding a CRD requires. */
function isTyped(sent: JsonObject): boolean {
  return Object.entries(sent).every(([keyword, value]) => keywordTypes.get(keyword)?.(value) ?? true);
}

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'structural-schema',
    seeds: [
      `${JSON.stringify(schema)}\n${JSON.stringify(widget)}`,
      `{"type":"object","x-kubernetes-preserve-unknown-fields":true}\n${JSON.stringify(widget)}`,
    ],
    dictionary: words,
    maxBytes: 3072,
    maxGrownBytes: 32_768,
    run(input) {
      const [sent, object] = documentsOf(input, 2) ?? [];
      if (sent === undefined || object === undefined) return;
      // A CRD is decoded before, and its rules are validated with it.
      if (!isTyped(sent) || checkStructural(sent, FieldPath.of('schema')).length > 0) return;
      handle(sent, object);
    },
  },
  {
    name: 'custom-object',
    seeds: [JSON.stringify(widget), '{"spec":{"n":3,"l":[{"k":"a"},{"k":"a"}],"o":{"a":1}}}'],
    dictionary: words,
    run(input) {
      const [object] = documentsOf(input, 1) ?? [];
      if (object !== undefined) use(compiled, object);
    },
  },
  {
    name: 'strategic-merge-patch',
    seeds: [
      '{"spec":{"containers":[{"name":"a","ports":[{"p":1}]}],"names":["x"]}}\n{"spec":{"containers":[{"name":"a","$patch":"delete"},{"name":"b"}],"$setElementOrder/containers":[{"name":"b"}],"names":["y"],"$deleteFromPrimitiveList/names":["x"]}}',
      '{"spec":{"a":1}}\n{"spec":{"$patch":"replace","$retainKeys":["b"],"b":null}}',
    ],
    dictionary: [
      '"$patch"',
      '"delete"',
      '"replace"',
      '"merge"',
      '"$setElementOrder/containers"',
      '"$deleteFromPrimitiveList/names"',
      '"$retainKeys"',
      '"name"',
      'null',
      '[]',
      '{}',
      '"__proto__"',
    ],
    run(input) {
      const [object, patch] = documentsOf(input, 2) ?? [];
      if (object === undefined || patch === undefined) return;
      orError(() => applyStrategicMergePatch(object, patch, pod), [StatusError]);
    },
  },
  {
    name: 'apply',
    seeds: [
      `${JSON.stringify(widget)}\n${JSON.stringify({ ...widget, spec: { n: 4 } })}`,
      `${JSON.stringify({ ...widget, metadata: { name: 'a', managedFields: [{ manager: 'm', operation: 'Apply', apiVersion: 'g/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { 'f:l': { 'k:{"k":"x"}': { '.': {}, 'f:v': {} } }, 'f:n': {} } } }] } })}\n${JSON.stringify({ ...widget, spec: { l: [{ k: 'y' }] } })}`,
    ],
    dictionary: [
      ...words,
      '"f:spec"',
      '"k:{\\"k\\":\\"x\\"}"',
      '"v:1"',
      '"i:0"',
      '"."',
      '"Apply"',
      '"Update"',
      '"fieldsV1"',
    ],
    maxBytes: 3072,
    maxGrownBytes: 32_768,
    run(input) {
      const [live, applied] = documentsOf(input, 2) ?? [];
      if (live === undefined || applied === undefined || !isObject(live.metadata)) return;
      const request = { live: live as unknown as KubeObject, applied, kind: 'W', manager: 'm', force: false, now: 0, schema: compiled.root, apiVersion: 'g/v1' }; // prettier-ignore
      orError(() => applyPatch(request), [StatusError]);
    },
  },
  {
    name: 'field-set',
    seeds: ['{"f:a":{".":{},"f:b":{}},"k:{\\"x\\":1}":{},"v:\\"s\\"":{},"i:3":{}}'],
    dictionary: ['"f:', '"k:{', '"v:', '"i:', '".":{}', '{}'],
    run(input) {
      const [fields] = documentsOf(input, 1) ?? [];
      if (fields === undefined) return;
      const set = orError(() => fieldSetFromJson(fields), [SyntaxError]);
      if (!(set instanceof Error)) fieldSetToJson(set);
    },
  },
];

const compiled = compileStructural(parseJson(JSON.stringify(schema)) as JsonObject);
const pod = openApiNode(podComponents, 'Pod');

function handle(sent: JsonObject, object: JsonObject): void {
  use(compileStructural(sent), object);
}

function use(schemaOfKind: ReturnType<typeof compileStructural>, object: JsonObject): void {
  if (schemaOfKind.decodeError(object) !== undefined) return;
  schemaOfKind.prune(object);
  schemaOfKind.applyDefaults(object);
  const errors = schemaOfKind.validate(object);
  schemaOfKind.validateStatus(object, object);
  if (errors.length > 0) return;
  const rules = schemaOfKind.validateRules?.(object);
  while (rules?.proceed() === false);
}
