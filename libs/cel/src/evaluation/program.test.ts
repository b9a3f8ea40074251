import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';

import { standardLibrary } from '../functions/standard.ts';
import { types } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import { Program } from './program.ts';

const environment = new Environment({
  libraries: [standardLibrary],
  variables: [
    { name: 'x', type: types.int },
    { name: 'd', type: types.dyn },
  ],
});
const evaluate = (text: string, variables: Readonly<Record<string, Value>> = {}) =>
  new Program(environment.compile(text), environment).evaluate(variables).value;

describe('evaluation', () => {
  it.each<readonly [text: string, value: Value]>([
    ['1 + 2 * 3', 7],
    ['-7 / 2', -3],
    ['9223372036854775807 - 1', 9223372036854775806n],
    ['[1, 2, 3].all(i, i > 0)', true],
    ['[1, 0].exists(i, 1 / i == 1)', true],
    ['[0, 1].exists(i, 1 / i == 1)', true],
    ['[1, 2, 3].filter(i, i % 2 == 1).map(i, i * 10)', [10, 30]],
    ['false && 1 / 0 == 1', false],
    ['1 / 0 == 1 || true', true],
    ["'a😀'.size()", 2],
    ["{'a': 1}['a'] + {'b': 2}.b", 3],
    ["has({'a': 1}.b)", false],
    ["timestamp('2024-01-31T00:00:00Z') + duration('24h') == timestamp('2024-02-01T00:00:00Z')", true],
    ['type(1) == int', true],
  ])('%s', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it.each([
    ['1 / 0', 'division by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ["{'a': 1}['b']", 'no such key: b'],
    ['[1][1]', 'index out of bounds: 1'],
  ])('%s fails', (text, message) => {
    expect(() => evaluate(text)).toThrow(message);
  });

  it('reports the position of an undeclared name', () => {
    const text = "ERROR: <input>:1:5: undeclared reference to 'y' (in container '')\n | x + y\n | ....^";
    expect(() => environment.compile('x + y')).toThrow(text);
  });

  it('ends when the cost exceeds the limit', () => {
    const program = new Program(environment.compile('[1, 2, 3].all(i, i > 0)'), environment, {
      costLimit: 5,
    });
    expect(() => program.evaluate()).toThrow('operation cancelled: actual cost limit exceeded');
  });
});
