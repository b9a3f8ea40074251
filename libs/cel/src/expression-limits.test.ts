import { expect, it } from 'vitest';
import { Environment } from './environment.ts';
import { Program } from './evaluation/program.ts';
import { fixed, maxDecimalPrecision, scientific } from './extensions/decimals.ts';
import { optionalsLibrary } from './extensions/optionals.ts';
import { standardLibrary } from './functions/standard.ts';
import { maxExpressionErrors, maxSnippetBytes } from './syntax/source.ts';
import { maxSkippedTokens } from './syntax/error-recovery.ts';
import { maxCopiedNodes } from './syntax/tree-builder.ts';
import { maxIntegerLength } from './values/int.ts';

const environment = new Environment({ libraries: [standardLibrary, optionalsLibrary], optionalSyntax: true });

function compileErrors(text: string): string[] {
  try {
    environment.compile(text);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

const evaluate = (text: string) => new Program(environment.compile(text), environment).evaluate().value;

it('errors beyond maxExpressionErrors are counted', () => {
  const errors = (count: number) =>
    compileErrors(`[${Array.from({ length: count }, (_, i) => `a${i}`).join(', ')}]`).filter(
      (line) => !line.startsWith(' |'),
    );
  expect(errors(maxExpressionErrors)).toHaveLength(100);
  expect(errors(maxExpressionErrors + 2).at(-1)).toBe('2 more errors were truncated');
});

it('the parser stops at a character that begins no token beyond maxExpressionErrors', () => {
  const errors = compileErrors('\\'.repeat(100_000));
  expect(errors[0]).toBe("ERROR: <input>:1:1: Syntax error: token recognition error at: '\\'");
  expect(errors).toHaveLength(maxExpressionErrors + 1);
  expect(errors.at(-1)).toBe('1 more errors were truncated');
});

it('an error does not quote a line beyond maxSnippetBytes', () => {
  const line = (bytes: number) => `'${'x'.repeat(bytes - 4)}'+a`;
  expect(compileErrors(line(maxSnippetBytes))).toHaveLength(3);
  expect(compileErrors(line(maxSnippetBytes + 1))).toEqual([
    "ERROR: <input>:1:16385: undeclared reference to 'a' (in container '')",
  ]);
});

it('the parser stops when it skips more than maxSkippedTokens', () => {
  const tokens = (count: number) => '] '.repeat(count);
  expect(compileErrors(tokens(maxSkippedTokens)).join()).not.toContain('lookahead');
  expect(compileErrors(tokens(maxSkippedTokens + 1)).join()).toContain(
    'error recovery token lookahead limit exceeded: 256',
  );
});

it('a text longer than maxIntegerLength is not an integer', () => {
  const text = (length: number) => `int('${'1'.padStart(length, '0')}')`;
  expect(evaluate(text(maxIntegerLength))).toBe(1);
  expect(() => evaluate(text(maxIntegerLength + 1))).toThrow('type conversion error');
});

it('numbers are written with maxDecimalPrecision at most', () => {
  expect(fixed(0.5, 1_000_000)).toHaveLength('0.'.length + maxDecimalPrecision);
  expect(scientific(1, 1_000_000)).toHaveLength(maxDecimalPrecision);
});

it('macros copy maxCopiedNodes of their operands at most', () => {
  const chain = (length: number) => `optional.of(1)${'.optMap(x, x)'.repeat(length)}`;
  expect(compileErrors(chain(10))).toEqual([]);
  expect(compileErrors(chain(100))).toEqual([
    `ERROR: <input>:-1:0: macros copy their operands too often: limit of ${maxCopiedNodes} nodes`,
  ]);
});
