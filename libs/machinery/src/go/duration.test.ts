import { expectLinear } from '@annex/testkit';
import { describe, expect, test } from 'vitest';
import { readDuration } from './duration.ts';

describe('a duration is read as Go reads it', () => {
  test.each([
    ['1h30m', 5_400_000_000_000n],
    ['1.5s', 1_500_000_000n],
    ['-250ms', -250_000_000n],
    ['+.5us', 500n],
    ['1\u00b5s1\u03bcs1us1ns', 3001n],
    ['0', 0n],
    ['-0', 0n],
    ['00000000000000000000000001s', 1_000_000_000n],
    ['0.3333333333333333333h', 1_200_000_000_000n],
    ['0.100000000000000000000h', 360_000_000_000n],
    ['9223372036854775807ns', 9223372036854775807n],
    ['-9223372036854775808ns', -9223372036854775808n],
  ])('%s is %d ns', (text, nanoseconds) => expect(readDuration(text)).toEqual({ nanoseconds }));

  test.each([
    ['', 'time: invalid duration ""'],
    ['+', 'time: invalid duration "+"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1h-1m', 'time: unknown unit "h-" in duration "1h-1m"'],
    ['s1', 'time: invalid duration "s1"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1h5', 'time: missing unit in duration "1h5"'],
    ['1..5s', 'time: missing unit in duration "1..5s"'],
    ['5q', 'time: unknown unit "q" in duration "5q"'],
    ['1é"', String.raw`time: unknown unit "\xc3\xa9\"" in duration "1\xc3\xa9\""`],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
    ['2562047h60m', 'time: invalid duration "2562047h60m"'],
    ['99999999999999999999', 'time: invalid duration "99999999999999999999"'],
  ])('%j is none', (text, error) => expect(readDuration(text)).toEqual({ error }));
});

describe('a duration is read in linear time:', () => {
  test.each<[string, (size: number) => string]>([
    ['parts whose units can be read in two ways', (size) => `${'111s'.repeat(size)}x`],
    ['digits without a unit', (size) => '1'.repeat(size)],
    ['zeros', (size) => `${'0'.repeat(size)}x`],
    ['a fraction', (size) => `1.${'9'.repeat(size)}x`],
    ['points', (size) => '.'.repeat(size)],
    ['a long unit', (size) => `1${'é'.repeat(size)}`],
  ])('%s', (_, make) => void expectLinear(make, readDuration));
});
