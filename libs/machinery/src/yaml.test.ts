import { describe, expect, test } from 'vitest';
import { decodeYaml, yamlDuplicatesText } from './yaml.ts';

describe('YAML 1.1 is read as kube reads it', () => {
  test.each<[string, string, unknown]>([
    ['nothing', '', null],
    ['booleans', 'a: y\nb: No\nc: on\nd: "y"', { a: true, b: false, c: true, d: 'y' }],
    ['nulls', '[~, null, ]', [null, null]],
    ['octal, hexadecimal and binary', '[010, 0x1F, 0b11, 0o17, 1_000]', [8, 31, 3, 15, 1000]],
    ['an invalid octal number', 'a: 08', { a: 8 }],
    ['floats', '[1e3, .5, 1., -1.5]', [1000, 0.5, 1, -1.5]],
    ['times and dates as text', '[2001-01-01, 12:30:45]', ['2001-01-01', '12:30:45']],
    ['int64', 'a: 9223372036854775807', { a: 9223372036854775807n }],
    ['block scalars', 'a: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['merges', 'a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}', { a: { b: 1, c: 2 }, d: { b: 3, c: 2 } }],
    ['the first document only', 'a: 1\n---\nb: 2', { a: 1 }],
    ['keys that are not text', '1: a\ntrue: b', { 1: 'a', true: 'b' }],
    ['tags', 'a: !!str 1\nb: !!binary aGk=', { a: '1', b: 'hi' }],
    ['JSON', '{"a": 12345678901234567}', { a: 12345678901234567n }],
  ])('%s', async (_what, text, value) => expect((await decodeYaml(text)).value).toEqual(value));

  test('__proto__ is an ordinary key', async () => {
    const { value } = await decodeYaml('__proto__: {a: 1}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

test('duplicate keys are reported with the line of the value', async () => {
  const { value, duplicates } = await decodeYaml('a: 1\nb:\n  c: 1\n  c:\n    d: 2\na: 2\n');
  expect(value).toEqual({ a: 2, b: { c: { d: 2 } } });
  expect(duplicates).toEqual(['line 5: key "c" already set in map', 'line 6: key "a" already set in map']);
  expect(yamlDuplicatesText(duplicates.slice(0, 1))).toBe(
    'yaml: unmarshal errors:\n  line 5: key "c" already set in map',
  );
});

test('duplicate keys in JSON with a YAML media type are also found', async () => {
  expect((await decodeYaml('{"a": 1,\n "a": 2}')).duplicates).toEqual(['line 2: key "a" already set in map']);
});

const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi']) {
  bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`);
}

describe('invalid or too large YAML is refused', () => {
  test.each([
    ['two values on the first line', 'a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['two values on a line', 'a: b\nc: d: e', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a value that goes on', 'a: b\n  c: d', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a tab on the first line', '\ta: b', 'yaml: found character that cannot start any token'],
    ['a tab', 'a:\n\tb: c', 'yaml: line 2: found character that cannot start any token'],
    ['a reserved character', 'x:\n  y: @a', 'yaml: line 2: found character that cannot start any token'],
    ['a text without an end', 'a: "x', 'yaml: found unexpected end of stream'],
    ['a brace without an end', 'a:\n  b: {c', "yaml: line 2: did not find expected ',' or '}'"],
    ['a bracket without an end', 'a: [{b: c}, "{"', "yaml: line 1: did not find expected ',' or ']'"],
    ['a mapping in a bracket', 'x: y\na: {b: c d: e}', "yaml: line 1: did not find expected ',' or '}'"],
    ['an end without a bracket', 'x: y\na: ]', 'yaml: line 1: did not find expected node content'],
    ['an end instead of a key', 'x: y\n}', 'yaml: line 1: did not find expected key'],
    ['a member in a list', 'x:\n- a: b\n c: d', 'yaml: line 2: did not find expected key'],
    ['an unknown escape', 'x: y\na: "\\q"', 'yaml: line 2: found unknown escape character'],
    ['an invalid block', 'x: y\na: |x\n  b', 'yaml: line 2: did not find expected comment or line break'],
    ['a line without a colon', 'x y\na: b', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a control character', 'a: \x01', 'yaml: control characters are not allowed'],
    ['another version', '%YAML 3.0\n---\na: b', 'yaml: found incompatible YAML document'],
    ['a key without a value', 'a: |\nx', "yaml: line 3: could not find expected ':'"],
    ['an unknown anchor', 'a: *x', "yaml: unknown anchor 'x' referenced"],
    ['an anchor that contains its alias', 'a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['infinity', 'a: .inf', 'json: unsupported value: .inf'],
    ['aliases of aliases', bomb.join('\n'), 'yaml: document contains excessive aliasing'],
    [
      'aliases of a long text',
      `a: &a ${'x'.repeat(1e6)}\nb: [${'*a,'.repeat(20)}]`,
      'yaml: document contains excessive aliasing',
    ],
    ['deep brackets', '['.repeat(100_000), 'yaml: exceeded max depth of 500'],
    ['deep JSON', `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`, 'yaml: exceeded max depth of 500'],
    ['deep sequences', `${'- '.repeat(20_000)}x`, 'yaml: exceeded max depth of 500'],
    ['a mapping as a key', '? {a: b}\n: c', 'yaml: unsupported map key of type: object'],
  ])('%s', (_what, text, message) => expect(decodeYaml(text)).rejects.toThrow(new Error(message)));
});
