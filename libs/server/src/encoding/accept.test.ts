import { describe, expect, it } from 'vitest';
import { acceptClauses, maxAcceptClauses } from './accept.ts';

describe('the clauses of an Accept header', () => {
  it.each([
    ['nothing', '', '*/*'],
    ['types by their weight', 'a/b;q=0.5, c/d', 'c/d a/b'],
    ['a star without and with a slash', '*, */', '*/* */*'],
    ['spaces around a slash', ' application / json ;q=1', 'application/json'],
    ['a slash at the end', 'a/b/, a/c//, a/d/e', 'a/b'],
    ['ranges without a type or a subtype', '/a, a/, a, b/c', 'b/c'],
    ['a weight between two equals signs', 'a/b;q==, c/d', 'c/d a/b'],
    ['weights without a value', 'a/b;q=, c/d', 'a/b c/d'],
    ['weights with several equals signs', 'a/b;q=0=, a/c;q=0=1, a/d;q===, c/d', 'a/c a/d c/d a/b'],
    ['a weight with three equals signs', 'a/b;q===x, c/d', 'a/b c/d'],
    ['a weight that is no decimal number', 'a/b;q= 2, a/c;q=0b1, a/d;q=0x1, c/d', 'c/d a/b a/c a/d'],
    ['a range with space behind a second slash', 'a/b/ ;q=1, c/d', 'c/d'],
  ])('reads %s as kube-apiserver does', (_, header, types) => {
    expect(
      acceptClauses(header)
        .map(({ type }) => type)
        .join(' '),
    ).toBe(types);
  });
});

it('clauses beyond maxAcceptClauses are not read', () => {
  const header = Array.from({ length: maxAcceptClauses + 1 }, (_, i) => `a/b${i}`).join(', ');
  expect(acceptClauses(header)).toHaveLength(32);
  expect(acceptClauses(`${',,'.repeat(1000)}a/b`)).toEqual([]);
});
