import { finish, maxObjectMembers } from '@annex/machinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSet } from './field-set.ts';
import {
  keyElement,
  parseElement,
  printElement,
  sortElements,
  sortElementsInPasses,
} from './field-set-element.ts';
import { fieldSetFromJson, fieldSetToJson } from './field-set-json.ts';

const setOf = (...paths: string[][]): FieldSet => {
  const set = new FieldSet();
  for (const path of paths) set.insert(path);
  return set;
};
const element = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:__proto__', 'f:', 'v:1', 'v:"x"', 'i:0'),
  fc.record({ name: fc.constantFrom('x', 'y"<') }).map(({ name }) => keyElement([['name', name]])),
);
const sets = fc
  .array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 8 })
  .map((paths) => setOf(...paths));
const texts = (set: FieldSet): string[] => [...set.paths()].map((path) => JSON.stringify(path)).sort();
const asSet = (set: FieldSet): Set<string> => new Set(texts(set));

describe('FieldSet', () => {
  it('is an algebra of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [left, right] = [asSet(a), asSet(b)];
        expect(texts(a.union(b))).toEqual([...left.union(right)].sort());
        expect(texts(a.intersection(b))).toEqual([...left.intersection(right)].sort());
        expect(texts(a.difference(b))).toEqual([...left.difference(right)].sort());
      }),
    );
  });

  it('keeps the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(
          a
            .union(b)
            .union(c)
            .equals(a.union(b.union(c))),
        ).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.intersection(b.union(c)).equals(a.intersection(b).union(a.intersection(c)))).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(a).isEmpty).toBe(true);
        expect(a.union(a).equals(a)).toBe(true);
      }),
    );
  });

  it('changes no operand', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const before = [texts(a), texts(b)];
        a.union(b);
        a.intersection(b);
        a.difference(b);
        a.recursiveDifference(b);
        a.leaves();
        expect([texts(a), texts(b)]).toEqual(before);
      }),
    );
  });

  it('returns an operand that is the result', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const both = a.union(b);
        expect(both.union(b)).toBe(both);
        expect(b.union(both).equals(both)).toBe(true);
        expect(a.intersection(both)).toBe(a);
        const left = a.difference(b);
        expect(left.difference(b)).toBe(left);
        expect(left.recursiveDifference(b).recursiveDifference(b).equals(left.recursiveDifference(b))).toBe(
          true,
        );
      }),
    );
  });

  it('removes descendants with the recursive difference', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const removed = [...b.paths()].map((path) => JSON.stringify(path).slice(0, -1));
        const kept = texts(a).filter(
          (path) => !removed.some((above) => `${path.slice(0, -1)},`.startsWith(`${above},`)),
        );
        expect(texts(a.recursiveDifference(b))).toEqual(kept);
      }),
    );
  });

  it('has leaves without anything below', () => {
    const set = setOf(['f:a'], ['f:a', 'f:b'], ['f:c'], ['f:d', 'f:e']);
    expect(texts(set.leaves())).toEqual(texts(setOf(['f:a', 'f:b'], ['f:c'], ['f:d', 'f:e'])));
  });

  it('counts, finds and prints its paths', () => {
    const set = setOf(
      ['f:spec', 'k:{"name":"a"}', 'f:image'],
      ['f:spec'],
      ['f:spec', 'v:1'],
      ['f:spec', 'i:2'],
    );
    expect(set.size).toBe(4);
    expect([
      set.has(['f:spec']),
      set.has(['f:spec', 'v:1']),
      set.has(['f:spec', 'v:2']),
      set.has([]),
    ]).toEqual([true, true, false, false]);
    expect(String(set)).toBe('.spec\n.spec[=1]\n.spec[2]\n.spec[name="a"].image');
  });

  it('does not track the object as a whole', () => {
    expect(setOf([]).isEmpty).toBe(true);
  });
});

it('a comparison visits each level of a deep set once', () => {
  const path = Array.from({ length: 450 }, (_, i) => `f${i}`);
  expect(FieldSet.of(path).equals(FieldSet.of(path))).toBe(true);
  expect(FieldSet.of(path).equals(FieldSet.of([...path, 'a']))).toBe(false);
});

describe('FieldsV1', () => {
  it('round-trips every set', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const json = JSON.parse(JSON.stringify(fieldSetToJson(set))) as Record<string, unknown>;
        expect(texts(fieldSetFromJson(json))).toEqual(texts(set));
      }),
    );
  });

  it('is written in the order of structured-merge-diff', () => {
    const set = setOf(
      ['i:10'],
      ['i:9'],
      ['v:"b"'],
      ['v:10'],
      ['v:9'],
      ['v:true'],
      ['k:{"name":"b"}'],
      ['k:{"name":"a!"}'],
      ['k:{"name":"a"}'],
      ['k:{"name":"a"}', 'f:image'],
      ['f:z'],
      ['f:a', 'f:b'],
    );
    expect(JSON.stringify(fieldSetToJson(set))).toBe(
      JSON.stringify({
        'f:a': { 'f:b': {} },
        'f:z': {},
        'k:{"name":"a"}': { '.': {}, 'f:image': {} },
        'k:{"name":"a!"}': {},
        'k:{"name":"b"}': {},
        'v:9': {},
        'v:10': {},
        'v:"b"': {},
        'v:true': {},
        'i:9': {},
        'i:10': {},
      }),
    );
  });

  it('is read in any order and spelling', () => {
    const set = fieldSetFromJson({
      'k:{"b": 1, "a":"x"}': { '.': {}, 'f:a': {} },
      'v: "\\u0078"': {},
      'q:new': { 'f:a': {} },
    });
    expect(texts(set)).toEqual(texts(setOf(['k:{"a":"x","b":1}'], ['k:{"a":"x","b":1}', 'f:a'], ['v:"x"'])));
  });

  it.each([
    ['f', 'key must be 2 characters long:'],
    ['__proto__', 'missing colon: __proto__'],
    ['i:x', 'invalid index: i:x'],
    ['k:1', 'keys must be an object: 1'],
  ])('refuses the element %s', (key, message) => {
    expect(() => parseElement(key)).toThrow(message);
  });

  it('writes the HTML escapes of Go', () => {
    expect(keyElement([['name', 'a<b>&"c']])).toBe('k:{"name":"a\\u003cb\\u003e\\u0026\\"c"}');
  });

  it('prints elements for people', () => {
    expect(['f:a.b', 'k:{"a":"x","b":2}', 'v:true', 'i:3'].map(printElement)).toEqual([
      '.a.b',
      '[a="x",b=2]',
      '[=true]',
      '[3]',
    ]);
  });

  it('sorts keys with several parts by each of them', () => {
    expect(
      sortElements([
        'k:{"port":80,"protocol":"UDP"}',
        'k:{"port":9,"protocol":"UDP"}',
        'k:{"port":80,"protocol":"TCP"}',
      ]),
    ).toEqual([
      'k:{"port":9,"protocol":"UDP"}',
      'k:{"port":80,"protocol":"TCP"}',
      'k:{"port":80,"protocol":"UDP"}',
    ]);
  });

  it.each([
    ['fields', (i: number) => `f:k${(i * 7919) % 5000}`],
    ['values', (i: number) => `v:${i % 3 === 0 ? (i * 7919) % 5000 : `"v${i}"`}`],
    ['keys', (i: number) => `k:{"name":"n${(i * 7919) % 5000}"}`],
  ])('sorts many %s in passes as at once', (_what, of) => {
    const elements = Array.from({ length: 5000 }, (_, i) => of(i));
    const passes = sortElementsInPasses(elements);
    expect(passes.next().done).toBe(false);
    expect(finish(passes)).toEqual(sortElements(elements));
  });
});

describe('a set with many fields at one level', () => {
  const setOf = (items: number) => {
    const set = new FieldSet();
    for (let i = 0; i < items; i++) set.add(`v:${i}`);
    return set;
  };

  it('is written up to maxObjectMembers', () => {
    expect(Object.keys(fieldSetToJson(setOf(maxObjectMembers)))).toHaveLength(maxObjectMembers);
  });

  it('with one more gets 413', () => {
    expect(() => fieldSetToJson(setOf(maxObjectMembers + 1))).toThrow(
      'Request entity too large: limit is 40000 members of one object',
    );
  });
});
