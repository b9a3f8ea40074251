import { finish } from '@annex/machinery';
import { expectLinear } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { parse } from './parser.ts';
import { Source } from './source.ts';

const parsed = (text: string) =>
  finish(parse(new Source(text), { macros: new Map(), optionalSyntax: false, escapedIdentifiers: false }));

describe('the errors of a text', () => {
  it('are reported once for each position', () => {
    const { issues } = parsed('a » » )');
    expect(issues.map(({ offset }) => offset)).toEqual([...new Set(issues.map(({ offset }) => offset))]);
    expect(issues.length).toBeGreaterThanOrEqual(3);
  });

  it.each<[string, (size: number) => string]>([
    ['characters that begin no token', (size) => `a ${'»'.repeat(size)})`],
    ['reserved names', (size) => `[${'if,'.repeat(size)}`],
    ['reserved names in maps', (size) => `${'{1:'.repeat(99)}[${'if,'.repeat(size)}]`],
    ['selections without a name', (size) => 'a.?.'.repeat(size)],
    ['negations without an operand', (size) => `${'!)'.repeat(size)}`],
  ])('are found in linear time, however many there are: %s', (_, make) => {
    expectLinear(make, (text) => parsed(text), { max: 16_384 });
  });
});
