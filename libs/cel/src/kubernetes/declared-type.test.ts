import { describe, expect, it } from 'vitest';
import { declaredType } from './declared-type.ts';
import type { TypedSchema } from './typed-schema.ts';

const text: TypedSchema = { type: 'string' };

describe('the type of the values of a schema', () => {
  const cases: [title: string, schema: TypedSchema, type: string, maxElements: number, minSize: number][] = [
    ['CELS-026 a boolean', { type: 'boolean' }, 'bool', 0, 4],
    ['CELS-027 a number', { type: 'number', format: 'float' }, 'double', 0, 1],
    ['CELS-028 an integer', { type: 'integer', format: 'int32' }, 'int', 0, 1],
    ['CELS-022 int-or-string', { intOrString: true }, 'dyn', 3145726, 1],
    ['a text without a limit', text, 'string', 3145726, 2],
    ['a text with a length, in bytes', { type: 'string', validations: { maxLength: 10 } }, 'string', 40, 2],
    ['a text of an enumeration', { type: 'string', validations: { enum: ['a', 'abc'] } }, 'string', 3, 2],
    ['CELS-031 bytes', { type: 'string', format: 'byte', validations: { maxLength: 10 } }, 'bytes', 10, 2],
    ['CELS-032 a date', { type: 'string', format: 'date' }, 'timestamp', 12, 12],
    ['CELS-033 a moment', { type: 'string', format: 'date-time' }, 'timestamp', 32, 21],
    ['CELS-034 a duration', { type: 'string', format: 'duration' }, 'duration', 32, 3],
    ['CELS-023 a list, as many as fit', { type: 'array', items: text }, 'list(string)', 1048575, 2],
    [
      'a list with a limit',
      { type: 'array', items: text, validations: { maxItems: 5 } },
      'list(string)',
      5,
      2,
    ],
    [
      'CELS-019 a map, as many as fit',
      { type: 'object', additionalProperties: text },
      'map(string, string)',
      393215,
      2,
    ],
    [
      'an object by what it must have',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: new Map([
          ['a', text],
          ['b', { type: 'string', default: 'x' }],
        ]),
      },
      'self',
      0,
      9,
    ],
  ];
  it.each(cases)('%s', (_title, schema, type, maxElements, minSerializedSize) => {
    const declared = declaredType(schema, 'self');
    expect(String(declared?.celType)).toBe(type);
    expect(declared).toMatchObject({ maxElements, minSerializedSize });
  });

  it.each<[string, TypedSchema]>([
    ['CELS-010 no type', { preserveUnknownFields: true }],
    ['CELS-011 items of no type', { type: 'array', items: { preserveUnknownFields: true } }],
    ['CELS-012 values of no type', { type: 'object', additionalProperties: { preserveUnknownFields: true } }],
  ])('%s: not usable in expressions', (_title, schema) => {
    expect(declaredType(schema, 'self')).toBeUndefined();
  });

  it('CELS-007 CELS-008 includes the type and the name of resources, and no other metadata', () => {
    const declared = declaredType({ type: 'object', properties: new Map() }, 'self', true);
    expect([...(declared?.fields?.keys() ?? [])]).toEqual(['kind', 'apiVersion', 'metadata']);
    expect([...(declared?.fields?.get('metadata')?.fields?.keys() ?? [])]).toEqual(['name', 'generateName']);
  });
});
