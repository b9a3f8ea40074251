import { finish } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';
import { bindingsLibrary } from '../extensions/bindings.ts';
import { standardLibrary } from '../functions/standard.ts';
import { inPasses } from '../syntax/visit-in-passes.ts';
import { types } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import { Compiler } from './compiler.ts';
import { Program } from './program.ts';

const environment = new Environment({
  libraries: [standardLibrary, bindingsLibrary],
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

describe('the slots of a program', () => {
  const slots = (text: string) => {
    const checked = environment.compile(text);
    const compiler = new Compiler(checked, environment);
    finish(inPasses(compiler.compile(checked.expr)));
    return compiler.slotCount;
  };

  it('are shared by folds one after the other', () => {
    const fold = '[1].all(i, i > 0)';
    expect(slots(`${fold} && ${fold} && ${fold}`)).toBe(slots(fold));
    expect(slots(`[1].all(j, ${fold})`)).toBe(2 * slots(fold));
  });

  it.each([
    [
      'a value that a fold needs first',
      'cel.bind(a, [1, 2].map(i, i * 2), [1, 2].all(j, a[j - 1] == j * 2))',
    ],
    [
      'a value in a value',
      'cel.bind(a, cel.bind(b, [1].map(i, i), b + b), [7].all(j, a == [1, 1] && j == 7))',
    ],
    [
      'a value after another',
      'cel.bind(a, [1].map(i, i), a == [1]) && cel.bind(b, [2].map(i, i), [3].all(j, b == [2] && j == 3))',
    ],
  ])('are not those of %s', (_, text) => expect(evaluate(text)).toBe(true));
});
