import { expect, it } from 'vitest';
import { countListKeys, maxManagedFieldsDepth } from './managed-list-keys.ts';

const managed = (...fields: unknown[]): unknown => ({
  metadata: { managedFields: fields.map((fieldsV1) => ({ fieldsV1 })) },
});

const nested = (depth: number): unknown => {
  let fields: unknown = { 'v:"a"': null };
  for (let level = 1; level < depth; level++) fields = { f: fields };
  return fields;
};

it.each<[string, unknown, number]>([
  ['no object', null, 0],
  ['no metadata', { a: 1 }, 0],
  ['managed fields that are no list', { metadata: { managedFields: { 'v:"a"': {} } } }, 0],
  ['an entry that is no object', { metadata: { managedFields: [null, 'v:"a"'] } }, 0],
  ['fields without list keys', managed({ 'f:a': { '.': {} } }), 0],
  ['list keys of several managers', managed({ 'k:{"a":1}': { 'v:"b"': {} } }, { 'f:a': { 'v:"b"': {} } }), 3],
  ['list keys elsewhere', { spec: { 'v:"a"': {} } }, 0],
  ['a list key with a backslash', managed({ 'v:"\\"': {}, 'v:"a"': {} }), Number.NaN],
  ['as many levels as are read', managed(nested(maxManagedFieldsDepth)), 1],
  ['more levels', managed(nested(maxManagedFieldsDepth + 1)), Number.NaN],
])('counts the list keys of managed fields: %s', (name, object, count) => {
  expect(countListKeys(object)).toBe(count);
});
