import { finish, type Passes } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { estimateCostInPasses } from './costs/estimator.ts';
import { CompileError } from './errors.ts';
import { Program } from './evaluation/program.ts';
import { kubernetesEnvironment as environment } from './kubernetes/environment.ts';
import { partsAtOnce } from './syntax/visit-in-passes.ts';
import { maxExpressionDepth } from './syntax/expression-limit.ts';

const parts = 16_000;
const repeat = (part: string, separator: string) => new Array<string>(parts).fill(part).join(separator);

const long: readonly [name: string, text: string][] = [
  ['a list', `[${repeat('1', ',')}].size() > 0`],
  ['a list of lists', `[${repeat('[]', ',')}].size() > 0`],
  ['operators', repeat('1==1', '||')],
  ['a map', `{${repeat('1:1', ',')}}.size() > 0`],
];

/** Returns the number of passes, and the result. */
function count<T>(passes: Passes<T>): [passes: number, result: T] {
  for (let counted = 1; ; counted++) {
    const { done, value } = passes.next();
    if (done === true) return [counted, value];
  }
}

const least = parts / partsAtOnce;

describe.each(long)('%s is compiled in passes', (_, text) => {
  it('each time that it is visited', () => {
    const [compiling, checked] = count(environment.compileInPasses(text));
    // It is parsed, checked and validated.
    expect(compiling).toBeGreaterThan(3 * least);
    expect(count(estimateCostInPasses(checked, environment))[0]).toBeGreaterThan(least);
    const [passes, program] = count(Program.inPasses(checked, environment));
    expect(passes).toBeGreaterThan(least);
    expect(program.evaluate().value).toBe(true);
  });
});

it('the search for syntax errors has passes', () => {
  const passes = environment.compileInPasses(`[${repeat('1', ',')} 1]`);
  let counted = 0;
  const run = () => {
    for (; passes.next().done !== true; counted++);
  };
  expect(run).toThrow("extraneous input '1' expecting {']', ','}");
  expect(counted).toBeGreaterThan(least);
});

describe('expressions as deep as the limit', () => {
  const nested = (open: string, middle: string, close: string) =>
    open.repeat(maxExpressionDepth - 1) + middle + close.repeat(maxExpressionDepth - 1);

  it.each([
    ['lists', nested('[', '1', ']')],
    ['calls', nested('dyn(', '1', ')')],
    ['folds', nested('[1].map(x, true, ', 'x', ')')],
    ['copies', nested('optional.of(1).optMap(x, ', 'x', ')')],
  ])('%s are compiled', (_, text) => {
    const checked = environment.compile(text);
    finish(estimateCostInPasses(checked, environment));
    expect(() => new Program(checked, environment)).not.toThrow();
  });

  it.each([
    ['lists', nested('[', '1 1', ']')],
    ['calls', nested('f(', '1 1', ')')],
    ['parentheses without an operand', nested('(', '', ')')],
    ['parentheses that are open', '[1].all(x, '.repeat(maxExpressionDepth - 1)],
  ])('errors in %s are reported', (_, text) => {
    expect(() => environment.compile(text)).toThrow(CompileError);
  });
});
