import { finish, type JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { compileBuiltin } from '../builtin/builtin.ts';
import type { SchemaNode } from '../node.ts';

const text: SchemaNode = { type: 'string' };
const spec: SchemaNode = {
  type: 'object',
  goType: 'v1.Spec',
  properties: new Map<string, SchemaNode>([
    ['replicas', { type: 'integer', format: 'int32' }],
    ['name', text],
    ['policy', { type: 'string', goType: 'v1.Policy' }],
    ['paused', { type: 'boolean' }],
    ['labels', { type: 'object', additionalProperties: text }],
    ['items', { type: 'array', items: text }],
    ['data', { type: 'string', format: 'byte' }],
    ['at', { type: 'string', format: 'date-time', goType: 'v1.Time' }],
  ]),
};
const schema = compileBuiltin({ type: 'object', goType: 'v1.Toy', properties: new Map([['spec', spec]]) });

describe('the result of a strategic merge patch fails with the messages of the converter', () => {
  it.each<[spec: JsonObject | string, text: string | undefined]>([
    [{ replicas: 1, name: 'x', paused: null, labels: { a: 'b' }, items: ['c'], data: 'aGk=' }, undefined],
    ['x', 'cannot restore struct from: string'],
    [{ replicas: 'x' }, 'unrecognized type: int32'],
    [{ replicas: 1.5 }, 'cannot convert float64 to int32'],
    [{ name: 1 }, 'cannot convert int64 to string'],
    [{ name: 1.5 }, 'unrecognized type: string'],
    [{ name: {} }, 'unrecognized type: string'],
    [{ policy: 1 }, 'cannot convert int64 to v1.Policy'],
    [{ paused: 'yes' }, 'unrecognized type: bool'],
    [{ labels: [] }, 'cannot restore map from slice'],
    [{ labels: { a: { b: 1 } } }, 'unrecognized type: string'],
    [{ items: 'x' }, 'cannot restore slice from string'],
    [{ items: { a: 1 } }, 'cannot restore slice from map'],
    [{ paused: 'yes', name: 1 }, 'unrecognized type: bool'],
    [{ name: 1, paused: 'yes' }, 'cannot convert int64 to string'],
    [{ data: '!' }, 'error decoding from json: illegal base64 data at input byte 0'],
  ])('%j: %s', (value, expected) => {
    expect(finish(schema.conversionError({ spec: value }))).toBe(expected);
  });
});
