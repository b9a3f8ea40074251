import { describe, expect, it } from 'vitest';
import { expectLinear, GrowthError, measureGrowth } from './growth.ts';

const scan = (text: string): number => {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum;
};
const digits = (size: number): string => `${'1'.repeat(size)}!`;

describe('growth', () => {
  it.each<[string, (text: string) => unknown]>([
    ['a scan of a text', scan],
    ['a sort', (text) => [...text].sort()],
    ['work that ignores its input', () => 1],
    [
      'a parser that refuses long input',
      (text) => {
        if (text.length > 100) throw new Error('too long');
      },
    ],
  ])('accepts %s', (_, work) => {
    expect(expectLinear(digits, work).exponent).toBeLessThan(1.6);
  });

  it.each<[string, (text: string) => unknown]>([
    ['a quadratic regular expression', (text) => new RegExp(String.raw`^(\d*)(\.?\d*)$`).test(text)],
    ['an exponential regular expression', (text) => new RegExp('^(1|11)+$').test(text.slice(-100))],
    [
      'a scan for each character',
      (text) => {
        let sum = 0;
        for (let i = 0; i < text.length; i++) sum += text.indexOf('?', i);
        return sum;
      },
    ],
  ])('refuses %s', (_, work) => {
    expect(() => expectLinear(digits, work, { start: 8, timeoutMs: 500 })).toThrow(GrowthError);
  });

  it('measures sizes that grow four times', () => {
    const { sizes } = measureGrowth(digits, (text) => scan(text.repeat(100)), {
      start: 16,
    });
    expect(sizes.map((size) => size / (sizes[0] ?? 0))).toEqual([1, 4, 16]);
  });
});
