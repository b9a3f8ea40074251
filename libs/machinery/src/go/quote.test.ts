import { describe, expect, it } from 'vitest';
import { goQuote } from './quote.ts';

describe('goQuote', () => {
  it.each([
    ['plain text', 'a b', '"a b"'],
    ['quotes and backslashes', 'a"b\\', '"a\\"b\\\\"'],
    ['a bell, which JSON has no short form for', 'a\u0007b', '"a\\ab"'],
    ['other control characters', '\u0001\u007f', '"\\x01\\x7f"'],
    ['letters of any script', 'äß日😀', '"äß日😀"'],
    ['unprintable characters', '\u2028\u00a0', '"\\u2028\\u00a0"'],
    ['newlines and tabs', '\n\t\r', '"\\n\\t\\r"'],
  ])('quotes %s', (_, text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});
