import { type JsonValue, maxFieldErrors } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { FieldSet } from '../managed-fields/field-set.ts';
import { fieldSetFromJson } from '../managed-fields/field-set-json.ts';
import type { SchemaNode } from '../node.ts';
import { compareTyped } from './typed-compare.ts';
import { toFieldSet } from './typed-field-set.ts';
import { mergeTyped } from './typed-merge.ts';
import { reconcileWithSchema } from './typed-reconcile.ts';
import { removeItems } from './typed-remove.ts';
import { objectMergeType } from './typed-schema.ts';
import { integer, list, listMap, set, struct, text, toySchema } from './typed-testdata.ts';
import { validateTyped } from './typed-validate.ts';
import type { TypedError } from './typed-value.ts';

const type = objectMergeType(toySchema);
const spec = (value: JsonValue): JsonValue => ({ spec: value });

describe('toFieldSet', () => {
  const cases: { name: string; value: JsonValue; want: string[] }[] = [
    { name: 'owns leaves, not declared parents', value: { gran: { a: '1' } }, want: ['.spec.gran.a'] },
    { name: 'owns empty maps and nulls', value: { gran: {}, map: null }, want: ['.spec.gran', '.spec.map'] },
    { name: 'does not own empty associative lists', value: { map: [], set: [] }, want: [] },
    {
      name: 'owns atomic lists and maps as a whole',
      value: { atomic: [], atom: { a: '1' } },
      want: ['.spec.atom', '.spec.atomic'],
    },
    {
      name: 'owns list items with their keys',
      value: { map: [{ name: 'x' }] },
      want: ['.spec.map[name="x"]', '.spec.map[name="x"].name'],
    },
    { name: 'owns set items', value: { set: ['p', 'q'] }, want: ['.spec.set[="p"]', '.spec.set[="q"]'] },
    {
      name: 'owns duplicates without what lies below',
      value: { map: [{ name: 'x', v: '1' }, { name: 'x' }] },
      want: ['.spec.map[name="x"]'],
    },
    {
      name: 'owns undeclared fields and all maps above them',
      value: { any: { a: { b: [1] } } },
      want: ['.spec.any.a', '.spec.any.a.b'],
    },
    { name: 'owns map values by key', value: { free: { k: 'v' } }, want: ['.spec.free.k'] },
    {
      name: 'owns metadata of embedded resources',
      value: { template: { metadata: { labels: { l: '1' } } } },
      want: ['.spec.template.metadata.labels.l'],
    },
    { name: 'owns either form of what may be both', value: { intOrString: 1 }, want: ['.spec.intOrString'] },
  ];
  it.each(cases)('$name', ({ value, want }) => {
    expect(
      String(toFieldSet(spec(value), type))
        .split('\n')
        .filter(Boolean),
    ).toEqual(want);
  });
});

describe('compareTyped', () => {
  const compare = (old: JsonValue, updated: JsonValue) => {
    const { added, modified, removed } = compareTyped(spec(old), spec(updated), type);
    return [added, modified, removed].map(String);
  };
  it.each<[string, JsonValue, JsonValue, string[]]>([
    ['a changed leaf', { color: 'a' }, { color: 'b' }, ['', '.spec.color', '']],
    ['an added map and its contents', {}, { gran: { a: '1' } }, ['.spec.gran\n.spec.gran.a', '', '']],
    [
      'a removed item',
      { map: [{ name: 'x' }] },
      { map: [] },
      ['', '', '.spec.map[name="x"]\n.spec.map[name="x"].name'],
    ],
    ['the order of items, which does not matter', { set: ['a', 'b'] }, { set: ['b', 'a'] }, ['', '', '']],
    ['the order of an atomic list', { atomic: ['a', 'b'] }, { atomic: ['b', 'a'] }, ['', '.spec.atomic', '']],
    ['empty and null', { gran: {} }, { gran: null }, ['', '.spec.gran', '']],
    ['another form', { any: { a: { b: 1 } } }, { any: { a: [1] } }, ['', '.spec.any.a', '.spec.any.a.b']],
    ['new duplicates', { set: ['a'] }, { set: ['a', 'a'] }, ['.spec.set[="a"]', '', '.spec.set[="a"]']],
    ['one and 1.0', { intOrString: 1 }, { intOrString: 1.0 }, ['', '', '']],
  ])('reports %s', (_name, old, updated, want) => {
    expect(compare(old, updated)).toEqual(want);
  });
});

describe('mergeTyped', () => {
  const merge = (live: JsonValue, applied: JsonValue) => mergeTyped(spec(live), spec(applied), type);
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    [
      'keeps live items in their place before shared ones',
      { set: ['a', 'b', 'c'] },
      { set: ['c', 'd'] },
      { set: ['a', 'b', 'c', 'd'] },
    ],
    ['puts applied items in their order', { set: ['a', 'b'] }, { set: ['b', 'a'] }, { set: ['b', 'a'] }],
    [
      'merges items',
      { map: [{ name: 'x', v: '1' }] },
      { map: [{ name: 'x', w: '2' }] },
      { map: [{ name: 'x', v: '1', w: '2' }] },
    ],
    [
      'replaces atomic lists and maps',
      { atomic: ['a'], atom: { a: '1' } },
      { atomic: ['b'], atom: { b: '2' } },
      { atomic: ['b'], atom: { b: '2' } },
    ],
    ['replaces a map by a list', { any: { a: { b: 1 } } }, { any: { a: [1] } }, { any: { a: [1] } }],
    [
      'ignores an applied null for a map with content',
      { gran: { a: '1' } },
      { gran: null },
      { gran: { a: '1' } },
    ],
    [
      'replaces live duplicates',
      {
        map: [
          { name: 'x', v: '1' },
          { name: 'x', v: '2' },
        ],
      },
      { map: [{ name: 'x', w: '3' }] },
      { map: [{ name: 'x', w: '3' }] },
    ],
  ])('%s', (_name, live, applied, want) => {
    expect(merge(live, applied)).toEqual(spec(want));
  });

  it('returns the same live value if nothing changes', () => {
    const live = spec({ map: [{ name: 'x', v: '1' }], gran: { a: '1', b: '2' }, set: ['a', 'b'] });
    expect(mergeTyped(live, spec({ map: [{ name: 'x' }], gran: { b: '2' }, set: ['b'] }), type)).toBe(live);
  });
});

describe('removeItems', () => {
  const remove = (value: JsonValue, ...paths: string[][]) => {
    const items = new FieldSet();
    for (const path of paths) items.insert(['f:spec', ...path]);
    return removeItems(spec(value), items, type);
  };
  it('removes fields, items and their descendants', () => {
    const value = {
      color: 'red',
      map: [
        { name: 'x', v: '1' },
        { name: 'y', v: '1' },
      ],
      set: ['a', 'b'],
      gran: { a: '1', b: '2' },
    };
    expect(
      remove(
        value,
        ['f:color'],
        ['f:map', 'k:{"name":"x"}'],
        ['f:map', 'k:{"name":"y"}', 'f:v'],
        ['f:set', 'v:"a"'],
        ['f:gran', 'f:a'],
      ),
    ).toEqual(spec({ map: [{ name: 'y' }], set: ['b'], gran: { b: '2' } }));
  });
  it('leaves null for values that become empty', () => {
    expect(remove({ set: ['a'], size: 1 }, ['f:set', 'v:"a"'])).toEqual(spec({ set: null, size: 1 }));
  });
});

describe('reconcileWithSchema', () => {
  const reconciled = (fields: SchemaNode, owned: Record<string, unknown>) =>
    String(
      reconcileWithSchema(
        fieldSetFromJson({ 'f:spec': owned }),
        objectMergeType(struct({ spec: struct({ a: fields }) })),
      ),
    );
  it('makes owners of parts of a leaf owners of the leaf', () => {
    const owned = { 'f:a': { 'f:x': {}, 'f:y': {} } };
    expect(reconciled(struct({ x: text, y: text }, { mapType: 'atomic' }), owned)).toBe('.spec.a');
    expect(reconciled(list(), { 'f:a': { 'v:"x"': {} } })).toBe('.spec.a');
  });
  it('leaves other sets alone', () => {
    expect(reconciled(struct({ x: text }), { 'f:a': { 'f:x': {} } })).toBe('.spec.a.x');
    expect(reconciled(set(), { 'f:a': { 'v:"x"': {} } })).toBe('.spec.a[="x"]');
    expect(reconciled(list(), { 'f:a': {} })).toBe('.spec.a');
  });
});

describe('objectMergeType', () => {
  it('follows cyclic schemas', () => {
    const properties = new Map<string, SchemaNode>([['n', integer]]);
    const cyclic: SchemaNode = { type: 'object', properties };
    properties.set('child', cyclic);
    const value = { child: { child: { n: 1 } } };
    expect(String(toFieldSet(value, objectMergeType(cyclic)))).toBe('.child.child.n');
  });
  it('accepts undeclared fields below a preserving node', () => {
    const preserving = objectMergeType(
      struct({ spec: struct({ a: struct({ b: text }) }, { preserveUnknownFields: true }) }),
    );
    expect(() =>
      validateTyped(spec({ a: { c: 1 }, d: [] }), preserving, { allowDuplicates: false }),
    ).not.toThrow();
    expect(() => validateTyped({ d: 1 }, preserving, { allowDuplicates: false })).toThrow(
      '.d: field not declared in schema',
    );
  });
  it('derives missing list types from patch strategies', () => {
    const items = struct({ name: text, v: text });
    const merging = objectMergeType(
      struct({
        spec: struct({ l: { type: 'array', items, patchStrategy: 'merge', patchMergeKey: 'name' } }),
      }),
    );
    expect(String(toFieldSet(spec({ l: [{ name: 'x' }] }), merging))).toBe(
      '.spec.l[name="x"]\n.spec.l[name="x"].name',
    );
  });
  it('requires one key of several', () => {
    const keyed = objectMergeType(
      struct({ spec: struct({ l: listMap(['a', 'b'], { a: text, b: text, c: text }) }) }),
    );
    expect(String(toFieldSet(spec({ l: [{ b: '1' }] }), keyed))).toBe('.spec.l[b="1"]\n.spec.l[b="1"].b');
    expect(() => validateTyped(spec({ l: [{ c: '1' }] }), keyed, { allowDuplicates: true })).toThrow(
      '.spec.l: element 0: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn\'t have default values for any key fields)',
    );
  });
});

it('a list of many invalid items has no more errors than a response', () => {
  const items = Array.from({ length: 100_000 }, () => 1);
  const strings = { list: { atomic: true, element: { scalar: 'string' } } } as const;
  let found = 0;
  try {
    validateTyped(items, strings as never, { allowDuplicates: true });
  } catch (error) {
    found = (error as TypedError).errors.length;
  }
  expect(found).toBe(maxFieldErrors + 1);
});
