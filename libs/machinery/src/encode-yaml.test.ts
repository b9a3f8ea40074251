import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeYaml, encodeYamlInPasses } from './encode-yaml.ts';
import { finish } from './passes.ts';
import { parseJson, stringifyJson } from './json.ts';
import { type JsonValue } from './json-object.ts';
import { decodeYaml } from './yaml.ts';

describe('values are written as sigs.k8s.io/yaml writes them', () => {
  const cases: [what: string, value: JsonValue, text: string][] = [
    ['lists are not indented below their key', { a: [1, { b: 2, c: 3 }] }, 'a:\n- 1\n- b: 2\n  c: 3\n'],
    ['lists within lists begin on one line', { a: [[1, [2]], []] }, 'a:\n- - 1\n  - - 2\n- []\n'],
    [
      'empty values are on the line of their key',
      { a: {}, b: [], c: null, d: '' },
      'a: {}\nb: []\nc: null\nd: ""\n',
    ],
    [
      'keys are sorted, their numbers as numbers',
      { a10: 1, a2: 1, B: 1, _: 1 },
      '_: 1\nB: 1\na2: 1\na10: 1\n',
    ],
    [
      'words, numbers and times are quoted',
      { a: ['no', '1', '2020-01-01', '12:30'] },
      'a:\n- "no"\n- "1"\n- "2020-01-01"\n- "12:30"\n',
    ],
    [
      'values that are not times are plain',
      { a: ['2020-02-30', '2020-01-01T24:00:00Z'] },
      'a:\n- 2020-02-30\n- 2020-01-01T24:00:00Z\n',
    ],
    [
      'indicators need quotes',
      { a: ['- x', 'x: y', 'x #y', "'", ' x', '*'] },
      "a:\n- '- x'\n- 'x: y'\n- 'x #y'\n- ''''\n- ' x'\n- '*'\n",
    ],
    [
      'unprintable characters are escaped',
      { a: ['\t', '\u0001', '\u{1f600}', 'é'] },
      'a:\n- "\\t"\n- "\\x01"\n- "\\U0001F600"\n- é\n',
    ],
    [
      'lines are literal',
      { a: 'x\n\n y\n', b: 'x\ny', c: ' x\n\n' },
      'a: |\n  x\n\n   y\nb: |-\n  x\n  y\nc: |2+\n   x\n\n',
    ],
    ['a space before a line break forbids it', { a: 'x \ny' }, 'a: "x \\ny"\n'],
    [
      "floats are Go's",
      { a: [1e6, 1234567.5, 1e-7, 1e21, 2n ** 63n - 1n] },
      'a:\n- 1000000\n- 1.2345675e+06\n- 1e-07\n- 1e+21\n- 9223372036854775807\n',
    ],
    ['long keys follow a question mark', { ['k'.repeat(129)]: { a: 1 } }, `? ${'k'.repeat(129)}\n: a: 1\n`],
  ];
  it.each(cases)('%s', (_, value, text) => {
    expect(encodeYaml(value)).toBe(text);
  });

  const long = 'y'.repeat(78);
  it.each([
    ['plain', `${long} x x`, `a: ${long}\n  x x\n`],
    ['single quoted', `'${long} x x`, `a: '''${long}\n  x x'\n`],
    ['double quoted', `\t${long} x  x`, `a: "\\t${long}\n  x  x"\n`],
    ['double quoted, at more than one space,', `\t${long}  x`, `a: "\\t${long}\n  \\ x"\n`],
  ])('%s texts are broken at the first space behind column 80', (_, value, text) => {
    expect(encodeYaml({ a: value })).toBe(text);
  });
});

it('encoded values decode to the same values', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), async (value) => {
      const text = stringifyJson(value);
      // As in Go, the key `<<` is written without quotes, which reads as a merge of mappings.
      fc.pre(!text.includes('"<<":'));
      const clean = parseJson(text);
      expect((await decodeYaml(encodeYaml(clean))).value).toEqual(clean);
    }),
  );
});

it('a large value is written with a pause for each 16 KiB', () => {
  const value = {
    list: Array.from({ length: 5000 }, (_, i) => ({ name: `name-${i}`, text: 'x'.repeat(20) })),
  };
  const passes = encodeYamlInPasses(value);
  let pauses = 0;
  while (passes.next().done !== true) pauses++;
  expect(pauses).toBe(Math.floor(encodeYaml(value).length / 16_384));
});

it.each([
  ['escapes', '\u0001\t é'.repeat(20_000)],
  ['characters beyond the first plane', `\u0001${'\u{1f600}'.repeat(20_000)}`],
  ['single quotes', "'a' : b ".repeat(5000)],
  ['lines', 'a line\n'.repeat(5000)],
])('a long text of %s that is quoted in passes decodes to the same text', async (_what, text) => {
  const value = { a: text, list: [text] };
  const written = finish(encodeYamlInPasses(value)).toString();
  expect((await decodeYaml(written)).value).toEqual(value);
});

it.each([
  ['numbers of different lengths', ['a10', 'a9', 'a100'], ['a9', 'a10', 'a100']],
  ['numbers with leading zeros', ['a10', 'a09', 'a009'], ['a09', 'a009', 'a10']],
  [
    'numbers beyond float64',
    [`a${'9'.repeat(17)}`, `a1${'0'.repeat(16)}`],
    [`a1${'0'.repeat(16)}`, `a${'9'.repeat(17)}`],
  ],
  ['numbers before letters', ['a1b', 'a12', 'a1'], ['a1', 'a12', 'a1b']],
])('keys with %s are sorted as numbers', (_what, keys, sorted) => {
  const text = encodeYaml(Object.fromEntries(keys.map((key) => [key, 1])));
  expect(text.split('\n').slice(0, -1)).toEqual(sorted.map((key) => `${key}: 1`));
});
