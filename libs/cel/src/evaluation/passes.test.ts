import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';
import { CompileError, EvaluationError } from '../errors.ts';
import { bindingsLibrary } from '../extensions/bindings.ts';
import { listsLibrary } from '../extensions/lists.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { setsLibrary } from '../extensions/sets.ts';
import { stringsLibrary } from '../extensions/strings.ts';
import { twoVariablesLibrary } from '../extensions/two-variables.ts';
import { standardLibrary } from '../functions/standard.ts';
import { regexLibrary } from '../kubernetes/regex.ts';
import { types } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import { PausedEvaluation, Program } from './program.ts';

const environment = new Environment({
  libraries: [
    standardLibrary,
    bindingsLibrary,
    optionalsLibrary,
    stringsLibrary(),
    setsLibrary,
    listsLibrary,
    twoVariablesLibrary,
    regexLibrary,
  ],
  variables: [
    { name: 'list', type: types.dyn },
    { name: 'map', type: types.dyn },
    { name: 'text', type: types.string },
  ],
  optionalSyntax: true,
  uniqueKeys: true,
});
const variables: Record<string, Value> = {
  list: [3, 1, 4, 1, 5, 9, 2, 6],
  map: { a: 1, b: 2, c: 0 },
  text: 'some words '.repeat(100),
};

/** Evaluates with a pause before each iteration, or at once; counts the pauses. */
function outcomeOf(program: Program, passCost: number | undefined, costLimit = Infinity) {
  let pauses = 0;
  try {
    if (passCost === undefined) return { ...program.evaluate(variables, costLimit), pauses };
    const begun = program.begin(variables, costLimit, { cost: passCost, ms: 0 });
    let result = begun instanceof PausedEvaluation ? undefined : begun;
    for (; result === undefined; pauses++) result = (begun as PausedEvaluation).proceed();
    return { ...result, pauses };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    const { message, cost, cancelled } = error;
    return { message, cost, cancelled, pauses };
  }
}

const compile = (text: string) => new Program(environment.compile(text), environment);

describe('an evaluation in passes has the value, cost and errors of one at once', () => {
  it.each([
    ['a nested fold', 'list.all(i, list.exists(j, j == i))'],
    [
      'folds one after the other',
      'list.exists(i, i == 9) && list.all(i, i < 10) && list.exists_one(i, i == 2)',
    ],
    ['a fold in the range of another', 'list.map(i, i * 2).filter(i, i > 4).map(i, string(i))'],
    ['lists in lists', 'list.map(i, list.filter(j, j < i).map(k, [k, i]))'],
    ['an error that a later element absorbs', 'list.exists(i, 1 / (i - 3) == 100 || i == 6)'],
    ['an error in all elements', 'list.all(i, list.all(j, j / 0 == i))'],
    ['an error in a fold of another', 'list.map(i, list.map(j, 10 / (i - 5)))'],
    ['an error before a fold', '1 / 0 == 1 || list.exists(i, i == 2)'],
    ['an early end', 'list.exists(i, i == 4) ? list.all(i, i != 4) : false'],
    ['a range that has no elements', 'list.all(i, i > 0) && dyn(1).all(i, true)'],
    [
      'a variable that a later iteration needs first',
      'cel.bind(x, list.map(i, i + 1), list.all(i, i > 2 || x[i] > 1))',
    ],
    [
      'a variable that is used before and in a fold',
      'cel.bind(x, list.map(i, i + 1), x.size() == 8 && list.all(i, list.exists(j, x[0] == j || x[1] < j)))',
    ],
    [
      'a variable of each iteration',
      'list.map(i, cel.bind(y, list.map(j, j * i), y.exists(k, k > 9) ? y : []))',
    ],
    ['keys of a map', 'map.all(k, map[k] >= 0) && map.exists(k, map[k] == 2)'],
    ['entries of a map', 'map.transformMap(k, v, list.map(i, i + v)).all(k, v, v.size() == 8)'],
    ['entries that grow a map', 'list.transformMap(i, v, list.exists(j, j == v) ? i : v)'],
    ['entries that exist', 'list.transformMapEntry(i, v, {v: list.exists(j, j == i)})'],
    [
      'indices of a list',
      'list.all(i, v, list[i] == v) && list.transformList(i, v, i > 2, i * v).size() == 5',
    ],
    [
      'expensive calls',
      "text.split(' ').all(w, text.contains(w)) && text.replace('w', 'x').split(' ').exists(w, w == 'xords')",
    ],
    [
      'expensive calls that fail',
      "list.all(i, text.substring(2000).contains('x') || list.exists(j, j == i))",
    ],
    [
      'a long search',
      "text.matches('[a-z ]{100}q') || text.matches('[a-z ]{101}[ds]') && list.all(i, i > 0)",
    ],
    ['long searches in a fold', "list.all(i, text.matches('[a-z ]{100}q') || i > 0)"],
    ['a search in a long text', "text.find('[a-z ]{100}') + text.find('[a-z ]{100}q')"],
    ['a long search for some matches', "text.findAll('[a-z ]{100}', 9).map(part, part.size())"],
    ['sorted keys', 'list.sortBy(i, -i).map(i, list.filter(j, j < i).size())'],
    ['an empty range', '[].all(i, list.all(j, j == i)) && {}.all(i, true) && list.all(i, i > 0)'],
  ])('%s', (_, text) => {
    const program = compile(text);
    const { pauses: _none, ...expected } = outcomeOf(program, undefined);
    const { pauses, ...passed } = outcomeOf(program, 0);
    expect(passed).toEqual(expected);
    expect(pauses).toBeGreaterThan(3);
    for (let limit = 0; limit <= expected.cost; limit += Math.ceil(expected.cost / 60)) {
      const { pauses: _at, ...atOnce } = outcomeOf(program, undefined, limit);
      for (const cost of [0, 10, 37]) expect(outcomeOf(program, cost, limit)).toMatchObject(atOnce);
    }
  });

  it('of any nested folds', () => {
    const { fold } = fc.letrec<{ fold: string; part: string }>((tie) => {
      const [fold, part] = [tie('fold'), tie('part')];
      const of = (...words: string[]) => fc.constantFrom(...words);
      const name = of('i', 'j');
      return {
        fold: fc.oneof(
          { maxDepth: 4, depthSize: 'medium' },
          of('list', 'map', '[1, 0, 2]', "text.split(' ')", '{1: 2}'),
          fc
            .tuple(fold, of('all', 'exists', 'exists_one', 'map', 'filter'), name, part)
            .map(([range, macro, variable, body]) => `(${range}).${macro}(${variable}, ${body})`),
          fc
            .tuple(fold, of('all', 'exists', 'transformList', 'transformMap'), part)
            .map(([range, macro, body]) => `(${range}).${macro}(i, j, ${body})`),
          fc
            .tuple(name, fold, part)
            .map(([variable, value, body]) => `cel.bind(${variable}, ${value}, ${body})`),
        ),
        part: fc.oneof(
          { maxDepth: 4, depthSize: 'medium' },
          of('i', 'j', 'i == j', 'dyn(i) > 1', '1 / i', 'true', 'text.contains(string(j))', 'list[i]'),
          fold,
          fc
            .tuple(part, of('&&', '||', '==', '+', 'in'), part)
            .map(([a, operator, b]) => `dyn(${a}) ${operator} dyn(${b})`),
          fc.tuple(part, part, part).map(([a, b, c]) => `(dyn(${a}) ? dyn(${b}) : dyn(${c}))`),
          fc.tuple(part, part).map(([a, b]) => `[${a}, ${b}]`),
        ),
      };
    });
    let paused = 0;
    fc.assert(
      fc.property(fold, fc.nat(20), fc.nat(2000), (text, passCost, costLimit) => {
        let program;
        try {
          program = compile(`cel.bind(i, 2, cel.bind(j, 1, ${text}))`);
        } catch (error) {
          if (error instanceof CompileError || error instanceof EvaluationError) return;
          throw error;
        }
        const { pauses: _none, ...expected } = outcomeOf(program, undefined, costLimit);
        const { pauses, ...passed } = outcomeOf(program, passCost, costLimit);
        // An evaluation that exceeds the limit ends at its next check of the cost, which is in another place after a pause.
        const cost = expected.cancelled ? expect.toSatisfy((at) => at > costLimit) : expected.cost;
        expect(passed).toEqual({ ...expected, cost });
        if (pauses > 1) paused++;
      }),
      { numRuns: samples(750) },
    );
    expect(paused).toBeGreaterThan(samples(5));
  });
});
