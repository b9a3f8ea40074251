import { expect, test } from 'vitest';
import { parseJson } from './json.ts';
import { finish } from './passes.ts';
import {
  exceedsDepth,
  findDuplicateFields,
  findDuplicateFieldsInPasses,
  nestsTooDeep,
  strictErrorsInOrder,
} from './strict.ts';

const duplicates = (text: string) => findDuplicateFields(text, parseJson(text));

test('a text without repeated keys has none, whatever its strings hold', () => {
  expect(duplicates('{"a":"\\":","b":[{"a":1},{"a":1}],"c\\\\":{"a" : "b"}, "__proto__": 1}')).toEqual([]);
});

test('repeated keys are named by their path, in the order of the text', () => {
  const text =
    '{"metadata":{"name":"a","name":"b"},"spec":{"a":1,"a":2,"l":[{"x":1},{"x":1,"x":2}]},"spec":{"z":1}}';
  expect(duplicates(text)).toEqual([
    'duplicate field "metadata.name"',
    'duplicate field "spec.a"',
    'duplicate field "spec.l[1].x"',
    'duplicate field "spec"',
  ]);
});

test('a key that is written with escapes is the same key', () => {
  expect(duplicates('{"a":1,"\\u0061":2}')).toEqual(['duplicate field "a"']);
});

// The limit is maxDuplicateFields.
test('a path is named once, and at most a hundred of them', () => {
  expect(duplicates('{"a":1,"a":2,"a":3}')).toEqual(['duplicate field "a"']);
  const many = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":1`).join(',');
  expect(duplicates(`{${many}}`)).toHaveLength(100);
});

test('a large text is scanned in passes', () => {
  const fill = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ [`k${i}`]: i })));
  const text = `{"a":1,"fill":${fill},"a":2}`;
  const value = parseJson(text);
  expect(finish(findDuplicateFieldsInPasses(text, value))).toEqual(['duplicate field "a"']);
  expect([...findDuplicateFieldsInPasses(text, value)].length).toBeGreaterThan(4);
  expect(finish(findDuplicateFieldsInPasses(fill, parseJson(fill)))).toEqual([]);
});

test('depth counts brackets outside of strings', () => {
  expect(exceedsDepth('['.repeat(501) + ']'.repeat(501))).toBe(true);
  expect(exceedsDepth('['.repeat(500) + ']'.repeat(500))).toBe(false);
  expect(exceedsDepth('[],'.repeat(2000))).toBe(false);
  expect(exceedsDepth(`"${'['.repeat(3000)}"`)).toBe(false);
});

test('the depth of a value is that of its text', () => {
  for (const text of ['{"a":[{"b":1}]}', '[]', '1', '[[],[[1]]]']) {
    for (const limit of [0, 1, 2, 3]) {
      const brackets = Math.max(...[...text].map((_, i) => opened(text.slice(0, i + 1))));
      expect(finish(nestsTooDeep(parseJson(text), limit))).toBe(brackets > limit);
    }
  }
});

const opened = (text: string) => text.split(/[[{]/).length - text.split(/[\]}]/).length;

// Recorded from kube-apiserver.
test.each<[what: string, text: string, unknown: string[], errors: string[]]>([
  [
    'in the order of the text',
    '{"s":{"x":1,"r":1,"r":2,"y":1,"t":[{"i":1,"i":2,"z":1}]},"v":1}',
    ['s.x', 's.y', 's.t[0].z', 'v'],
    [
      'unknown field "s.x"',
      'duplicate field "s.r"',
      'unknown field "s.y"',
      'duplicate field "s.t[0].i"',
      'unknown field "s.t[0].z"',
      'unknown field "v"',
    ],
  ],
  [
    'once for a repeated unknown field',
    '{"u":1,"u":2,"r":1,"r":2}',
    ['u'],
    ['unknown field "u"', 'duplicate field "r"'],
  ],
  ['not in the value of an unknown field', '{"u":{"a":1,"a":[{"b":1,"b":2}]}}', ['u'], ['unknown field "u"']],
])('duplicate and unknown fields are reported %s', (_, text, unknown, errors) => {
  expect(finish(strictErrorsInOrder(text, unknown))).toEqual(errors);
});
