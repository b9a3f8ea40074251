import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Environment } from './environment.ts';
import { CompileError, EvaluationError } from './errors.ts';
import { Program } from './evaluation/program.ts';
import { listsLibrary } from './extensions/lists.ts';
import { optionalsLibrary } from './extensions/optionals.ts';
import { setsLibrary } from './extensions/sets.ts';
import { stringsLibrary } from './extensions/strings.ts';
import { twoVariablesLibrary } from './extensions/two-variables.ts';
import { standardLibrary } from './functions/standard.ts';
import type { Expr } from './syntax/expr.ts';
import { unparse } from './syntax/unparse.ts';
import { types } from './typing/type.ts';

const environment = new Environment({
  libraries: [
    standardLibrary,
    optionalsLibrary,
    stringsLibrary(),
    setsLibrary,
    listsLibrary,
    twoVariablesLibrary,
  ],
  variables: [
    { name: 'x', type: types.dyn },
    { name: 'y', type: types.dyn },
  ],
  crossTypeComparisons: true,
  optionalSyntax: true,
  escapedIdentifiers: true,
});
const syntaxOnly = new Environment({ libraries: [], optionalSyntax: true, escapedIdentifiers: true });

const literals = ['0', '1', '-1', '2u', '1.5', "'a'", "'a,b'", "b'a'", 'true', 'false', 'null', '[]', '{}'];
const unary = ['!', '-', 'size', 'int', 'string', 'type', 'dyn', 'double', 'timestamp', 'duration', 'bytes'];
const binary = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '&&', '||', 'in'];
const members = [
  'reverse()',
  'sort()',
  'flatten()',
  'distinct()',
  'trim()',
  'join()',
  'hasValue()',
  'first()',
];
const calls = ['contains', 'startsWith', 'split', 'charAt', 'orValue', 'or', 'matches'];
const macros = ['all', 'exists', 'exists_one', 'map', 'filter', 'sortBy'];
const pairMacros = ['all', 'exists', 'transformList', 'transformMap'];

/** Expressions that always parse, and often type-check. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const e = tie('expression');
  const of = (words: readonly string[]) => fc.constantFrom(...words);
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      of([...literals, 'x', 'y']),
      fc.tuple(of(unary), e).map(([f, a]) => `${f}(${a})`),
      fc.tuple(e, of(binary), e).map(([a, op, b]) => `(${a} ${op} ${b})`),
      fc.tuple(e, e, e).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(e, e).map(([a, b]) => `[${a}, ${b}]`),
      fc.tuple(e, e).map(([a, b]) => `{'a': ${a}, 'b': ${b}}`),
      fc.tuple(e, e).map(([a, b]) => `(${a})[${b}]`),
      e.map((a) => `(${a}).a`),
      e.map((a) => `(${a}).?a`),
      fc.tuple(e, of(members)).map(([a, f]) => `(${a}).${f}`),
      fc.tuple(e, of(calls), e).map(([a, f, b]) => `(${a}).${f}(${b})`),
      fc.tuple(e, of(macros), e).map(([a, f, b]) => `(${a}).${f}(x, ${b})`),
      fc.tuple(e, of(pairMacros), e).map(([a, f, b]) => `(${a}).${f}(x, y, ${b})`),
    ),
  };
});

const value = fc.oneof(
  fc.integer(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 5 }),
  fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
);

/** Returns the error that a function throws, undefined if it returns. */
function errorOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

const withoutPlaces = (expr: Expr): unknown =>
  JSON.parse(
    JSON.stringify(expr, (key, part: unknown) => {
      if (key === 'id' || key === 'offset') return undefined;
      if (typeof part === 'bigint') return `${part}n`;
      if (part instanceof Set || part instanceof Uint8Array) return [...part];
      return part;
    }),
  );

describe('expressions', () => {
  it('every text parses to a tree or fails with a CompileError', () => {
    const text = fc.oneof(
      fc.array(fc.nat(0xffff), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
      fc.string({
        unit: fc.constantFrom(...'(){}[].,?:+-*/%!=<>&|"\'`\\rbxu01e a\n'.split('')),
        maxLength: 60,
      }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => new TextDecoder().decode(bytes)),
    );
    fc.assert(
      fc.property(text, (source) => {
        const error = errorOf(() => environment.compile(source));
        expect(error === undefined || error instanceof CompileError).toBe(true);
      }),
      { numRuns: samples(250) },
    );
  });

  it('evaluation returns a value or fails with an EvaluationError, within the cost limit', () => {
    const costLimit = 2000;
    fc.assert(
      fc.property(expression, value, value, (text, x, y) => {
        const error = errorOf(() => {
          const program = new Program(environment.compile(text), environment, { costLimit });
          expect(program.evaluate({ x, y }).cost).toBeLessThanOrEqual(costLimit);
        });
        if (error instanceof EvaluationError)
          expect(error.message).not.toMatch(/internal error: (?!interface conversion)/);
        else expect(error === undefined || error instanceof CompileError).toBe(true);
      }),
      { numRuns: samples(400) },
    );
  });

  it('unparse returns a text that parses to the same tree', () => {
    fc.assert(
      fc.property(expression, (text) => {
        const { expr } = syntaxOnly.parse(text);
        expect(withoutPlaces(syntaxOnly.parse(unparse(expr)).expr)).toEqual(withoutPlaces(expr));
      }),
      { numRuns: samples(200) },
    );
  });
});
