import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goLineDiff, maxComparedLines } from './line-diff.ts';

const lines = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => String(first + i));
const text = (...parts: (string | string[])[]): string => parts.flat().join('\n');

describe('goLineDiff', () => {
  it.each([
    ['equal texts', 'a', 'a', ''],
    ['one changed line', 'a\nb\nc', 'a\nx\nc', '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n'],
    [
      'changes with more than six lines between them',
      text(lines(1, 20)),
      text('0', lines(1, 9), lines(11, 20), '21'),
      '@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -7,7 +8,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n@@ -18,3 +18,4 @@\n 18\n 19\n 20\n+21\n',
    ],
    ['the longest match, not the first', 'a\nb', 'a\nc\na\nb', '@@ -1,2 +1,4 @@\n+a\n+c\n a\n b\n'],
    ['a single line that is replaced', 'a', '', '@@ -1 +1 @@\n-a\n+\n'],
  ])('%s', (_, before, after, expected) => expect(goLineDiff(before, after)).toBe(expected));

  it('compares texts of many lines, of which most are frequent', () => {
    const list = Array.from({ length: 300 }, () => ['{', ' "a": null', '},']).flat();
    const after = [...list.slice(0, 450), '{', ' "b": 1', '},', ...list.slice(450)];
    expect(goLineDiff(text('x', list, 'y'), text('x', after, 'y'))).toContain('+ "b": 1\n');
  });

  it('gives up after so many comparisons', () => {
    const half = (prefix: string) =>
      Array.from({ length: maxComparedLines / 16 }, (_, i) => `${prefix}${i % 300}`);
    const [before, after] = [text(half('a'), half('b')), text(half('b'), half('a'))];
    expect(goLineDiff(before, after)).toBeUndefined();
  });

  it('has all lines of both texts, and those around changes in their order', () => {
    const any = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '{', '}'), { maxLength: 30 });
    fc.assert(
      fc.property(any, any, (old, now) => {
        const diff = goLineDiff(text(old), text(now)) ?? '';
        const [before, after] = [text(old).split('\n'), text(now).split('\n')];
        expect(patched(before, diff)).toEqual(after);
      }),
    );
  });
});

/** Applies a unified diff. */
function patched(before: readonly string[], diff: string): string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const head = /^@@ -(\d+)(,0)?/.exec(line);
    if (head) {
      const start = Number(head[1]) - (head[2] === undefined ? 1 : 0);
      after.push(...before.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) after.push(line.slice(1));
    else {
      expect(before[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) after.push(line.slice(1));
      at++;
    }
  }
  return [...after, ...before.slice(at)];
}
