import { describe, expect, it } from 'vitest';
import { Environment } from '../environment.ts';
import { CompileError } from '../errors.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { standardLibrary } from '../functions/standard.ts';

const environment = new Environment({
  libraries: [standardLibrary, optionalsLibrary],
  optionalSyntax: true,
});

function syntaxErrors(text: string): string[] {
  try {
    environment.parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return error.message.split('\n').filter((line) => line.startsWith('ERROR: <input>:'));
  }
}

const starts =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";

describe('syntax errors', () => {
  it.each<readonly [text: string, ...errors: readonly string[]]>([
    ['', `1:0: Syntax error: mismatched input '<EOF>' expecting {${starts}}`],
    ['1 +', `1:4: Syntax error: mismatched input '<EOF>' expecting {${starts}}`],
    ['&& b', `1:1: Syntax error: extraneous input '&&' expecting {${starts}}`],
    ['(1 > 2', "1:7: Syntax error: missing ')' at '<EOF>'"],
    [
      'has(has(1 1))',
      '1:9: invalid argument to has() macro',
      '1:9: invalid argument to has() macro',
      "1:11: Syntax error: extraneous input '1' expecting ')'",
    ],
    [
      'has(has(1)) 1',
      '1:9: invalid argument to has() macro',
      '1:9: invalid argument to has() macro',
      "1:13: Syntax error: extraneous input '1' expecting <EOF>",
    ],
    ['1)', "1:2: Syntax error: extraneous input ')' expecting <EOF>"],
    ['a..b', "1:3: Syntax error: no viable alternative at input '..'"],
    ['a.true', "1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"],
    ['a ? b', "1:6: Syntax error: mismatched input '<EOF>' expecting ':'"],
    [
      'a ! = 1',
      "1:3: Syntax error: mismatched input '!' expecting <EOF>",
      "1:5: Syntax error: token recognition error at: '= '",
    ],
    [
      'a = 1',
      "1:3: Syntax error: token recognition error at: '= '",
      "1:5: Syntax error: extraneous input '1' expecting <EOF>",
    ],
    [
      'msg{:a}',
      "1:5: Syntax error: extraneous input ':' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}",
      "1:7: Syntax error: mismatched input '}' expecting ':'",
    ],
    [
      '--',
      "1:3: Syntax error: no viable alternative at input '-'",
      `1:3: Syntax error: mismatched input '<EOF>' expecting {${starts}}`,
    ],
    [
      'a.`b',
      "1:3: Syntax error: token recognition error at: '`b'",
      "1:5: Syntax error: no viable alternative at input '.'",
    ],
    [
      'has(self.é)',
      '1:5: invalid argument to has() macro',
      "1:10: Syntax error: token recognition error at: 'é'",
      "1:11: Syntax error: no viable alternative at input '.)'",
    ],
    ['has(a.b', "1:8: Syntax error: missing ')' at '<EOF>'"],
    ['!-false', "1:3: Syntax error: mismatched input 'false' expecting IDENTIFIER"],
    ['a.:(b)..c', "1:3: Syntax error: no viable alternative at input '.:'"],
  ])('%s', (text, ...errors) => {
    expect(syntaxErrors(text)).toEqual(errors.map((error) => `ERROR: <input>:${error}`));
  });

  it.each<readonly [text: string, ...errors: readonly string[]]>([
    [
      'a.all(if, )',
      '1:7: argument must be a simple name',
      '1:7: reserved identifier: if',
      `1:11: Syntax error: mismatched input ')' expecting {${starts}}`,
    ],
    [
      '[].map(..a, 1)',
      '1:0: argument is not an identifier',
      "1:9: Syntax error: no viable alternative at input '..'",
    ],
    [
      'x.?',
      "1:4: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}",
      '1:4: unsupported ident kind',
    ],
    ['Foo{`a`: if, b: for}', "1:5: unsupported syntax: '`'", '1:17: reserved identifier: for'],
    [
      '{for: if, if}',
      '1:2: reserved identifier: for',
      '1:7: reserved identifier: if',
      "1:13: Syntax error: mismatched input '}' expecting ':'",
    ],
    ['for(if, [].all(1, 2))', '1:1: reserved identifier: for'],
    ['a.optMap(__result__, b', "1:23: Syntax error: missing ')' at '<EOF>'"],
  ])('%s: errors in the tree beside syntax errors', (text, ...errors) => {
    expect(syntaxErrors(text).sort()).toEqual(errors.map((error) => `ERROR: <input>:${error}`).sort());
  });

  // The limit: maxRecoveries.
  it('aborts after too many errors', () => {
    const errors = syntaxErrors('(? '.repeat(40));
    expect(errors.at(-1)).toContain('error recovery attempt limit exceeded: 30');
  });
});

// The limit: maxExpressionDepth.
describe('limits of the syntax', () => {
  it.each([
    ['nested brackets', `${'('.repeat(300)}1${')'.repeat(300)}`, 'expression recursion limit exceeded: 250'],
    [
      'relations in brackets, which are two rules each',
      `${'(1 < '.repeat(125)}1${')'.repeat(125)}`,
      'expression recursion limit exceeded: 250',
    ],
    ['a sum of 300', Array(300).fill('1').join(' + '), 'max recursion depth exceeded'],
    ['selections', `a${'.b'.repeat(251)}`, 'max recursion depth exceeded'],
    ['selections in brackets', `${'('.repeat(100)}a${'.b.b.b)'.repeat(100)}`, 'max recursion depth exceeded'],
    [
      'sums in brackets',
      `${'(1 + '.repeat(240)}${'1 + '.repeat(20)}1${')'.repeat(240)}`,
      'expression recursion limit exceeded: 250',
    ],
    [
      'a long text',
      `'${'x'.repeat(100_000)}'`,
      // The limit: maxExpressionCodePoints.
      'expression code point size exceeds limit: size: 100002, limit 100000',
    ],
  ])('rejects %s', (_, text, message) => {
    expect(syntaxErrors(text)).toEqual([`ERROR: <input>:-1:0: ${message}`]);
  });

  it.each([
    ['relations in brackets', `${'(1 < '.repeat(124)}1${')'.repeat(124)}`],
    ['a sum of 251', Array(251).fill('1').join(' + ')],
    ['a conjunction of 1,000', Array(1000).fill('true').join(' && ')],
  ])('accepts %s', (_, text) => {
    expect(syntaxErrors(text)).toEqual([]);
  });
});
