import { fieldErrorText, finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { crdOf, withProperties } from '../crd.fixture.ts';
import type { Crd } from '../crd/crd.ts';
import { crdDefaults } from '../crd/defaults.ts';
import { internalCrd } from '../crd/internal-form.ts';
import { validateCrd } from './validate-crd.ts';

function made(crd: object): Crd {
  const copy = structuredClone(crd) as Crd;
  finish(crdDefaults(copy as never));
  return copy;
}

const schemaErrors = (properties: object): string[] =>
  finish(validateCrd(internalCrd(made(crdOf({}, { schema: withProperties(properties) }))))).map(
    fieldErrorText,
  );
const top = 'spec.validation.openAPIV3Schema';

describe('schemas of a new CRD', () => {
  it.each<[string, object, string[]]>([
    [
      'types are known',
      { x: { type: 'map' } },
      [
        `${top}.properties[x].type: Unsupported value: "map": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'defaults are not allowed in the metadata',
      { metadata: { type: 'object', properties: { name: { type: 'string', default: 'a' } } } },
      [
        `${top}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
      ],
    ],
    [
      'VAL items are not unique by schema',
      { x: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
      [
        `${top}.properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'properties exclude additionalProperties',
      {
        x: {
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: { type: 'string' },
        },
      },
      [
        `${top}.properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    [
      'x-kubernetes-preserve-unknown-fields cannot be false',
      { x: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } },
      [
        `${top}.properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
      ],
    ],
    [
      'VAL-003 fields that were sent empty are there',
      { x: { type: 'object', dependencies: {} } },
      [`${top}.properties[x].dependencies: Forbidden: dependencies is not supported`],
    ],
    [
      '$schema is rejected if there are no other errors',
      { x: { type: 'object', $schema: 'https://json-schema.org/' } },
      [`${top}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      '$schema is not reported with other errors',
      { x: { type: 'object', $schema: 'https://json-schema.org/' }, y: { uniqueItems: true } },
      [
        `${top}.properties[y].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'items of a map have one schema, and others are quoted as Go values',
      {
        x: {
          type: 'array',
          items: [],
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      },
      [
        `${top}.properties[x].items: Required value: must be specified`,
        `${top}.properties[x].items: Invalid value: {"Schema":null,"JSONSchemas":[]}: must only have a single schema if x-kubernetes-list-type is map`,
      ],
    ],
    [
      'rules inside of an unknown kind of map have no old self',
      {
        x: {
          type: 'object',
          'x-kubernetes-map-type': 'loose',
          properties: { a: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
        },
      },
      [
        `${top}.properties[x].x-kubernetes-map-type: Unsupported value: "loose": supported values: "atomic", "granular"`,
        `${top}.properties[x].properties[a].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${top}.properties[x]`,
      ],
    ],
    [
      'field paths of rules are not checked in schemas that are not structural',
      {
        x: {
          type: 'object',
          $ref: '#/x',
          'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.nowhere' }],
        },
      },
      [`${top}.properties[x].$ref: Forbidden: $ref is not supported`],
    ],
    [
      'metadata is restricted by empty members of the request',
      { metadata: { type: 'object', required: [], enum: [] } },
      [
        `${top}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
      ],
    ],
    [
      'but not by every empty list',
      { metadata: { type: 'object', enum: [], allOf: [], properties: {} } },
      [],
    ],
    [
      'maps have keys',
      { x: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } },
      [
        `${top}.properties[x].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      ],
    ],
    [
      'keys are always set',
      {
        x: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: { type: 'string' } } },
        },
      },
      [
        `${top}.properties[x].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'items of sets are atomic',
      { x: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } },
      [
        `${top}.properties[x].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      'rules compile',
      { x: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > ""' }, { rule: 'self > 0' }] } },
      [
        `${top}.properties[x].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self \\u003e \\"\\"","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(int, string)'\n | self > ""\n | .....^`,
      ],
    ],
    [
      'G07 reasons of rules are known',
      { x: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 0', reason: 'Odd' }] } },
      [
        `${top}.properties[x].x-kubernetes-validations[0].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      ],
    ],
  ])('%s', (_name, properties, expected) => expect(schemaErrors(properties)).toEqual(expected));

  it('G15 with the status subresource only some fields are allowed at the root', () => {
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        oneOf: [{ required: ['spec'] }],
        properties: { spec: { type: 'object' } },
      },
    };
    const crd = made(crdOf({}, { schema: schema as never, subresources: { status: {} } }));
    const errors = finish(validateCrd(internalCrd(crd)));
    expect(errors.map(({ type, field }) => [type, field])).toEqual([['FieldValueInvalid', top]]);
  });
});
