import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from './passes.ts';
import { goJsonSyntaxError, goJsonSyntaxErrorInPasses } from './json-syntax.ts';

describe('invalid JSON has the error of Go', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['{} {}', "invalid character '{' after top-level value"],
    ['[] x', "invalid character 'x' after top-level value"],
    ['spec: {}', "invalid character 's' looking for beginning of value"],
    ['{a: 1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12z"', "invalid character 'z' in \\u hexadecimal character escape"],
    ['- op: add', "invalid character ' ' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', 'unexpected end of JSON input'],
    ['1e+-', "invalid character '-' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['nil', "invalid character 'i' in literal null (expecting 'u')"],
    ['trUe', "invalid character 'U' in literal true (expecting 'u')"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['ä', "invalid character 'Ã' looking for beginning of value"],
  ])('%j: %s', (text, expected) => {
    expect(goJsonSyntaxError(text)).toBe(expected);
  });

  it('reports errors for exactly the texts that JSON.parse refuses', () => {
    const almostJson = fc
      .json()
      .chain((text) =>
        fc
          .tuple(fc.nat(text.length), fc.constantFrom('', ',', '"', '{', ']', '0', 'e', '\\', ' '))
          .map(([at, extra]) => text.slice(0, at) + extra + text.slice(at + 1)),
      );
    fc.assert(
      fc.property(almostJson, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(goJsonSyntaxError(text) === undefined).toBe(valid);
      }),
    );
  });
});

describe('a large text is searched in passes', () => {
  it.each([
    ['of items', `[${'1,'.repeat(20_000)}`, 'unexpected end of JSON input'],
    [
      'of members',
      `{${'"a":"b",'.repeat(20_000)}}`,
      "invalid character '}' looking for beginning of object key string",
    ],
    [
      'with a string of escapes',
      `"${'\\n'.repeat(20_000)}\\x"`,
      "invalid character 'x' in string escape code",
    ],
    ['that is valid', `[${'{},'.repeat(20_000)}1]`, undefined],
  ])('%s', (_what, text, expected) => {
    const passes = goJsonSyntaxErrorInPasses(text);
    for (let i = 0; i < 5; i++) expect(passes.next().done).toBe(false);
    expect(finish(passes)).toBe(expected);
  });
});
