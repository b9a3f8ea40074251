import { finish, type Passes } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { testByAutomaton } from './automaton.ts';
import { findAllInPasses, isLongSearch, undividedSearch, testInPasses } from './search.ts';
import { ThreadSearch } from './threads.ts';

const atoms = [
  'a',
  'b',
  'ab',
  '.',
  '[a-c]',
  '[^a]',
  String.raw`\b`,
  String.raw`\B`,
  '^',
  '$',
  'é',
  '😀',
  String.raw`\w`,
  String.raw`\s`,
];
const pattern = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...atoms, '', String.raw`\n`, String.raw`\A`, String.raw`\z`),
    fc.tuple(tie('part'), tie('part')).map(([a, b]) => a + b),
    fc.tuple(tie('part'), tie('part')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('part'), fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}'))
      .map(([a, times]) => `(${a})${times}`),
    fc.tuple(fc.constantFrom('i', 'm', 's', 'U'), tie('part')).map(([flag, a]) => `(?${flag}:${a})`),
  ),
})).part;
const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', ' ', '\n', 'é', '😀', '\ud83d', '_'), { maxLength: 12 })
  .map((parts) => parts.join(''));

/** All matches as re2js finds them. */
function matchesOf(compiled: RE2JS, of: string): [number, number][] {
  const matcher = compiled.matcher(of);
  const found: [number, number][] = [];
  while (matcher.find()) found.push([matcher.start(), matcher.end()]);
  return found;
}

describe('a search in passes finds what re2js finds', () => {
  it('for any pattern and text', () => {
    fc.assert(
      fc.property(pattern, text, (source, of) => {
        const compiled = RE2JS.compile(source);
        const all = matchesOf(compiled, of);
        const threads = new ThreadSearch(compiled, of);
        const first = finish(threads.find(0));
        expect(first && [first.start, first.end]).toEqual(all[0]);
        expect(finish(threads.find(0, true)) !== undefined).toBe(all.length > 0);
        expect(finish(testByAutomaton(compiled, of))).toBe(all.length > 0);
        let end = -1;
        const kept = all.filter(([from, to]) => {
          const isKept = to > from || from !== end;
          end = to;
          return isKept;
        });
        expect(finish(findAllInPasses(compiled, of, -1))).toEqual(
          kept.map(([from, to]) => of.slice(from, to)),
        );
        expect(finish(findAllInPasses(compiled, of, 1n)).length).toBe(Math.min(1, kept.length));
      }),
      { numRuns: samples(500) },
    );
  });
});

const passesOf = <T>(passes: Passes<T>): [T, number] => {
  for (let count = 1; ; count++) {
    const { done, value } = passes.next();
    if (done === true) return [value, count];
  }
};

it('a search of more than undividedSearch is divided', () => {
  const compiled = RE2JS.compile('a+b');
  const longest = Math.floor(undividedSearch / compiled.programSize());
  expect(isLongSearch(compiled, 'a'.repeat(longest))).toBe(false);
  expect(isLongSearch(compiled, 'a'.repeat(longest + 1))).toBe(true);
  expect(passesOf(testInPasses(compiled, 'a'.repeat(longest)))[1]).toBe(1);
  expect(passesOf(testInPasses(compiled, `${'a'.repeat(100_000)}b`))).toEqual([
    true,
    expect.toSatisfy((count) => count > 2),
  ]);
});

it('a search whose states need too much memory goes on with threads', () => {
  const words = Array.from({ length: 30_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 1);
  const compiled = RE2JS.compile('a[ab]{300}c');
  const of = `c${words.map((bit) => 'ab'[bit]).join('')}`;
  compiled.re2().dfa.memBudget = 100_000;
  compiled.re2().dfa.stateBudget = 100_000;
  expect(finish(testByAutomaton(compiled, of))).toBeUndefined();
  expect(finish(testInPasses(compiled, of))).toBe(false);
  expect(finish(testInPasses(compiled, `${of}a${'b'.repeat(300)}c`))).toBe(true);
});
