import { expectLinear } from '@annex/testkit';
import { describe, test } from 'vitest';
import { Lexer } from './lexer.ts';

function readAll(text: string): void {
  const lexer = new Lexer(text, () => undefined);
  for (let i = 0; lexer.token(i).kind !== '<EOF>'; i++);
}

describe('tokenizes in linear time:', () => {
  test.each<[string, (size: number) => string]>([
    ['a text without an end', (size) => `"${'a'.repeat(size)}`],
    ['escapes without an end', (size) => `"${String.raw`\n`.repeat(size)}`],
    ['three quotes without an end', (size) => `"""${'a'.repeat(size)}`],
    ['escaped quotes in three', (size) => `"""${String.raw`\"""`.repeat(size)}`],
    ['raw texts without an end', (size) => `r\'\'\'${`r"`.repeat(size)}`],
    ['both quotes', (size) => `"'`.repeat(size)],
    ['digits', (size) => '1'.repeat(size)],
    ['digits and points', (size) => '1.'.repeat(size)],
    ['digits and exponents', (size) => '1e'.repeat(size)],
    ['names', (size) => 'br'.repeat(size)],
    ['prefixes of bytes', (size) => 'b"b'.repeat(size)],
    ['backticks', (size) => '`'.repeat(size)],
    ['comments', (size) => '//'.repeat(size)],
    ['spaces', (size) => `${' '.repeat(size)}#`],
    ['what is no token', (size) => '#'.repeat(size)],
  ])('%s', (_, make) => void expectLinear(make, readAll, { max: 32_768 }));
});
