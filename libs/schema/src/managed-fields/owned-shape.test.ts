import type { JsonValue } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { toy, toySchema } from '../typed-values/typed-testdata.ts';
import { objectMergeType } from '../typed-values/typed-schema.ts';
import { maxOwnedShapeLength, ownedShape } from './owned-shape.ts';

const type = objectMergeType(toySchema);
const shape = (spec: unknown): string | undefined => ownedShape(toy(spec) as unknown as JsonValue, type);

describe('the owned shape', () => {
  it.each([
    ['the values of fields', { color: 'x', size: 1 }, { color: 'y', size: 2 }],
    ['values of an untyped field', { any: { a: 'x' } }, { any: { a: 'y' } }],
    [
      'fields of list items that are no keys',
      { map: [{ name: 'a', v: 'x' }] },
      { map: [{ name: 'a', v: 'y' }] },
    ],
    ['values of an atomic list', { atomic: ['x', 'y'] }, { atomic: ['y', 'z'] }],
  ])('does not depend on %s', (_, a, b) => {
    expect(shape(a)).toBeDefined();
    expect(shape(a)).toBe(shape(b));
  });

  it.each([
    ['a name', { color: 'x' }, { size: 1 }],
    ['names that are the same text together', { free: { a: 'x', b: 'y' } }, { free: { 'a1 sb': 'x' } }],
    ['an empty text', { color: 'x' }, { color: '' }],
    ['a zero', { size: 1 }, { size: 0 }],
    ['null', { color: 'x' }, { color: null }],
    ['the type of a value', { intOrString: 1 }, { intOrString: 'x' }],
    ['an empty list', { atomic: ['x'] }, { atomic: [] }],
    ['an empty map', { gran: { a: 'x' } }, { gran: {} }],
    ['the key of a list item', { map: [{ name: 'a' }] }, { map: [{ name: 'b' }] }],
    ['the default of a key', { ports: [{ port: 1 }] }, { ports: [{ port: 1, protocol: 'UDP' }] }],
    ['an item of a set', { set: ['x'] }, { set: ['y'] }],
    ['a repeated item', { set: ['x'] }, { set: ['x', 'x'] }],
    ['the length of an atomic list of an untyped field', { any: { a: ['x'] } }, { any: { a: [1] } }],
  ])('depends on %s', (_, a, b) => {
    expect(shape(a)).toBeDefined();
    expect(shape(a)).not.toBe(shape(b));
  });

  it.each([
    ['a list where a map is expected', { gran: [] }],
    ['a text where a list is expected', { map: 'x' }],
    ['an item without keys', { map: [{ v: 'x' }] }],
    ['a field that the schema does not declare', { gran: { undeclared: 1 } }],
  ])('is missing for %s', (_, spec) => {
    expect(shape(spec)).toBeUndefined();
  });

  it('has at most maxOwnedShapeLength characters', () => {
    const named = (length: number) => shape({ free: { ['a'.repeat(length)]: 'b' } });
    const overhead = (named(1000) as string).length - 1000;
    expect(named(maxOwnedShapeLength - overhead)).toHaveLength(4096);
    expect(named(maxOwnedShapeLength - overhead + 1)).toBeUndefined();
  });
});
