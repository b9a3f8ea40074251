import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';
import { listsLibrary } from '../extensions/lists.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { setsLibrary } from '../extensions/sets.ts';
import { stringsLibrary } from '../extensions/strings.ts';
import { twoVariablesLibrary } from '../extensions/two-variables.ts';
import { standardLibrary } from '../functions/standard.ts';
import { Program } from '../evaluation/program.ts';
import { mapType, types } from '../typing/type.ts';
import { estimateCost } from './estimator.ts';
import { exactly, unbounded } from './range.ts';

const environment = new Environment({
  libraries: [
    standardLibrary,
    optionalsLibrary,
    setsLibrary,
    stringsLibrary(2),
    listsLibrary,
    twoVariablesLibrary,
  ],
  variables: [
    { name: 'text', type: types.string },
    { name: 'self', type: types.dyn },
    { name: 'labels', type: mapType(types.string, types.string) },
  ],
  optionalSyntax: true,
  freePresenceTests: true,
});

describe('costs', () => {
  it.each<readonly [text: string, min: number, max: number, actual: number]>([
    ['1 + 2', 1, 1, 1],
    ["'abc'.matches('a.*') && 'abc'.startsWith('a')", 1, 2, 2],
    ['[1, 2, 3].all(x, x > 0)', 20, 26, 16],
    ["['a', 'bb'].map(x, x + 'c').exists(y, y.contains('b'))", 58, 62, 42],
    ['[1, 2, 3].map(x, x * 2).filter(y, y > 2).size()', 84, 120, 77],
    ["{'a': {'b': [1, 2]}}.a.b[1]", 73, 73, 4],
    ["has({'a': 1}.a)", 30, 30, 1],
    ['1 in [1, 2, 3]', 13, 13, 0],
    ['(1 / 0) + 2 == 3 || true', 3, 3, 3],
    ['optional.of(1).optMap(x, x + 1).value()', 4, 18, 8],
    ["{'a': {'b': 1}}.?a.?b.orValue(5)", 63, 63, 3],
    ['sets.equivalent([1, 2, 2], [2, 1])', 33, 33, 13],
    ["['b', 'a'].sort()", 30, 30, 19],
    ['[1, 2].transformList(i, v, i * v)', 51, 51, 31],
  ])('%s is estimated to cost %i to %i, and costs %i', (text, min, max, actual) => {
    const checked = environment.compile(text);
    expect(estimateCost(checked, environment)).toEqual({ min, max });
    expect(new Program(checked, environment).evaluate().cost).toBe(actual);
  });

  it('has no bound if a size has none', () => {
    expect(estimateCost(environment.compile('labels.all(k, k != text)'), environment).max).toBe(unbounded);
  });

  it('requests sizes by the paths of values', () => {
    const paths: string[] = [];
    estimateCost(environment.compile('labels.all(k, labels[k] == text)'), environment, ({ path }) => {
      paths.push(path.join('.'));
      return exactly(10);
    });
    expect(new Set(paths)).toEqual(new Set(['labels', 'labels.@keys', 'labels.@values', 'text', '']));
  });

  it('uses the size of values for keys if the path of a map has three elements', () => {
    const paths: string[] = [];
    estimateCost(environment.compile('self.a.b.all(k, v, k == v)'), environment, ({ path }) => {
      paths.push(path.join('.'));
      return undefined;
    });
    expect(paths).not.toContain('self.a.b.@keys');
    expect(paths).toContain('self.a.b.@values');
  });
});
