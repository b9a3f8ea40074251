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

  it('are found in linear time, however many there are', () => {
    expectLinear(
      (size) => `a ${'»'.repeat(size)})`,
      (text) => parsed(text),
      { max: 16_384 },
    );
  });
});
