import { type JsonObject, FieldPath, fieldErrorText } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { checkStructural } from './check-structural.ts';

const preserve = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns a schema with one property `x`. */
const x = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { x: schema } });
const texts = (schema: JsonObject): string[] =>
  checkStructural(schema, FieldPath.of('s')).map(fieldErrorText);

type Case = [name: string, schema: JsonObject, errors: string[]];

describe('junctors', () => {
  it.each<Case>([
    [
      'STR-007 STR-014 KEP-007 name only fields that stand outside of them',
      { type: 'object', allOf: [{ properties: { foo: { minLength: 1 } } }] },
      ['s.properties[foo]: Required value: because it is defined in s.allOf[0].properties[foo]'],
    ],
    [
      'STR-015 may name fields that do',
      {
        type: 'object',
        properties: { foo: { type: 'string' } },
        allOf: [{ properties: { foo: { minLength: 1 } } }],
      },
      [],
    ],
    [
      'STR-016 KEP-018 name only items that stand outside of them',
      { ...x({ type: 'string' }), allOf: [{ properties: { x: { items: { minLength: 1 } } } }] },
      ['s.properties[x].items: Required value: because it is defined in s.allOf[0].properties[x].items'],
    ],
    [
      'of a property are not compared with it',
      x({ type: 'object', anyOf: [{ properties: { k: { minimum: 1 } } }] }),
      [],
    ],
    [
      'STR-008 to STR-012 KEP-015 KEP-016 set nothing but value validations',
      x({
        type: 'string',
        not: { default: false },
        anyOf: [{ description: 'd', title: 't' }],
        allOf: [{ type: 'string' }, { nullable: true, 'x-kubernetes-list-type': '' }],
        oneOf: [
          { additionalProperties: true, ...preserve },
          { 'x-kubernetes-validations': [{ rule: 'true' }] },
        ],
      }),
      [
        's.properties[x].allOf[0].type: Forbidden: must be empty to be structural',
        's.properties[x].allOf[1].nullable: Forbidden: must be false to be structural',
        's.properties[x].allOf[1].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
        's.properties[x].anyOf[0].description: Forbidden: must be empty to be structural',
        's.properties[x].anyOf[0].title: Forbidden: must be empty to be structural',
        's.properties[x].not.default: Forbidden: must be undefined to be structural',
        's.properties[x].oneOf[0].additionalProperties: Forbidden: must be undefined to be structural',
        's.properties[x].oneOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural',
        's.properties[x].oneOf[1].x-kubernetes-validations: Forbidden: must be empty to be structural',
      ],
    ],
    [
      'KEP-022 do not name metadata',
      { ...x({ type: 'string' }), not: { properties: { metadata: { maxProperties: 1 } } } },
      [
        's.not.properties[metadata]: Forbidden: must not be specified in a nested context',
        's.properties[metadata]: Required value: because it is defined in s.not.properties[metadata]',
      ],
    ],
    [
      'STR-018 to STR-023 break every rule at once',
      {
        properties: {
          foo: { pattern: 'abc' },
          metadata: {
            type: 'object',
            properties: {
              name: { type: 'string', pattern: '^a' },
              finalizers: { type: 'array', items: { type: 'string' } },
            },
          },
        },
        anyOf: [
          {
            properties: { bar: { type: 'integer', minimum: 42 } },
            required: ['bar'],
            description: 'foo bar object',
          },
        ],
      },
      [
        's.anyOf[0].description: Forbidden: must be empty to be structural',
        's.anyOf[0].properties[bar].type: Forbidden: must be empty to be structural',
        's.properties[bar]: Required value: because it is defined in s.anyOf[0].properties[bar]',
        's.properties[foo].type: Required value: must not be empty for specified object fields',
        's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
        's.type: Required value: must not be empty at the root',
      ],
    ],
    [
      'STR-024 rewritten break none',
      {
        type: 'object',
        properties: { foo: { type: 'string', pattern: 'abc' }, bar: { type: 'integer' } },
        anyOf: [{ properties: { bar: { minimum: 42 } }, required: ['bar'] }],
      },
      [],
    ],
    [
      'have patterns that compile',
      { ...x({ type: 'string' }), anyOf: [{ properties: { x: { pattern: '*' } } }] },
      [
        's.anyOf[0].properties[x].pattern: Invalid value: "*": must be a valid regular expression, but isn\'t: error parsing regexp: missing argument to repetition operator: `*`',
      ],
    ],
  ])('%s', (_, schema, errors) => {
    expect(texts(schema)).toEqual(errors);
  });
});
