import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';
import { Program } from '../evaluation/program.ts';
import { literalValidators } from '../functions/literal-validators.ts';
import { standardLibrary } from '../functions/standard.ts';
import { elements, isList } from '../values/container.ts';
import type { Value } from '../values/value.ts';
import { listsLibrary } from './lists.ts';
import { optionalsLibrary } from './optionals.ts';
import { setsLibrary } from './sets.ts';
import { stringsLibrary } from './strings.ts';
import { twoVariablesLibrary } from './two-variables.ts';

const environment = new Environment({
  libraries: [
    standardLibrary,
    optionalsLibrary,
    stringsLibrary(2),
    setsLibrary,
    listsLibrary,
    twoVariablesLibrary,
  ],
  homogeneousLiterals: true,
  optionalSyntax: true,
  validators: literalValidators,
});

function evaluate(text: string): Value {
  const { value } = new Program(environment.compile(text), environment).evaluate();
  return isList(value) ? elements(value) : value;
}

describe('lists', () => {
  it.each<readonly [text: string, value: Value]>([
    ['[1, 2, 3].slice(1, 2)', [2]],
    ['[[1], [2, 3]].flatten()', [1, 2, 3]],
    ['[[[1]], [[2]]].flatten(2)', [1, 2]],
    ['[3, 1, 2].sort()', [1, 2, 3]],
    ["['b', 'a'].sort()", ['a', 'b']],
    ['[3, 1, 2].sortBy(x, -x)', [3, 2, 1]],
    ["[{'a': 2}, {'a': 1}].sortBy(x, x.a).map(x, x.a)", [1, 2]],
    ['lists.range(3)', [0, 1, 2]],
    ['lists.range(-1)', []],
    ['lists.range(3) == [0, 1, 2]', true],
    ['[1, 2].reverse()', [2, 1]],
    ['[1, 1, 2].distinct()', [1, 2]],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it.each([
    ['[1, 2].slice(2, 1)', 'cannot slice(2, 1), start index must be less than or equal to end index'],
    ['[1, 2].slice(-1, 1)', 'cannot slice(-1, 1), negative indexes not supported'],
    ['[1, 2].slice(0, 5)', 'cannot slice(0, 5), list is length 2'],
    ['[[1]].flatten(-1)', 'level must be non-negative'],
  ])('%s fails', (text, message) => {
    expect(() => evaluate(text)).toThrow(message);
  });

  it('checks the cost limit before it creates a long list', () => {
    const checked = environment.compile('lists.range(1000000000000)');
    expect(() => new Program(checked, environment, { costLimit: 1000 }).evaluate()).toThrow('cost limit');
  });
});

describe('sets', () => {
  it.each<readonly [text: string, value: boolean]>([
    ['sets.contains([1, 2], [1])', true],
    ['sets.contains([1], [])', true],
    ['sets.contains([1], [2])', false],
    ['sets.intersects([1, 2], [2, 3])', true],
    ['sets.intersects([1], [])', false],
    ['sets.equivalent([1, 2, 2], [2, 1])', true],
    ['sets.equivalent([1], [1, 2])', false],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });
});

describe('formats of Kubernetes', () => {
  it.each([
    ["'%f'.format([1234567.891])", '1,234,567.891000'],
    ["'%.0f %.0f'.format([2.5, 3.5])", '2 4'],
    ["'%.20f'.format([0.1])", '0.10000000000000000555'],
    ["'%.2000f'.format([5e-324]).size()", 1102],
    ["lists.range(3000).map(i, '%.999999999f'.format([1.5]).size()).filter(size, size == 1102).size()", 3000],
    ["'%e'.format([-0.00012345])", '-1.234500×10⁻⁰⁴'],
    ["'%f %e'.format([0.0 / 0.0, 1.0 / 0.0])", 'NaN      ∞'],
    ["'%x %X %o %b'.format([255, 'abc', 8, -5])", 'ff 616263 10 -101'],
    [
      "'%s'.format([[1.0, 'a', b'x', null, duration('1h')]])",
      '[1.000000, "a", b"x", null, duration("3600s")]',
    ],
    ["'%s'.format([{'b': 1, 'a': 2}])", '{"a":2, "b":1}'],
    ["strings.quote('a\"\\n')", '"a\\"\\n"'],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toBe(value);
  });
});

describe('errors that type checking does not detect', () => {
  it.each([
    [
      "'%d'.format(['a'])",
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["'%s%s'.format(['a'])", '1:14: index 1 out of range'],
    ["'%s'.format(['a', 'b'])", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
    ["'%'.format([1])", '1:11: unexpected end of string'],
    ["'x'.matches('(')", '1:13: invalid matches argument'],
    ["duration('1')", '1:10: invalid duration argument'],
    ["timestamp('today')", '1:11: invalid timestamp argument'],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': 'c'}", "1:15: expected type 'int' but found 'string'"],
    [
      "'a'.sortBy(x, x)",
      '1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    ],
    ['[1].all(i, i, true)', '1:12: duplicate variable name: i'],
  ])('%s', (text, message) => {
    expect(() => environment.compile(text)).toThrow(`ERROR: <input>:${message}\n`);
  });

  it('binds the names of accumulators outside of folds', () => {
    expect(evaluate('optional.of(1).optMap(__result__, __result__ + 1).value()')).toBe(2);
  });

  it('accepts literals with elements of several types as arguments of a format', () => {
    expect(evaluate("'%s %d'.format(['a', 1])")).toBe('a 1');
  });

  it('fails at compile time if the conversion of a constant fails', () => {
    expect(() => new Program(environment.compile("int('abc')"), environment)).toThrow(
      "type conversion error from 'string' to 'int'",
    );
  });
});
