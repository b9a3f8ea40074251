import { type JsonValue, maxObjectMembers, parseJson, type StatusError } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { maxBodyContainers, requireTextLimits, requireValueLimits } from './body-limits.ts';

const listOf = (count: number, item: JsonValue = {}): JsonValue => Array.from({ length: count }, () => item);
const objectOf = (count: number): JsonValue =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

const refusalOf = async (check: () => void | Promise<void>): Promise<string | undefined> => {
  try {
    await check();
    return undefined;
  } catch (error) {
    return `${(error as StatusError).code} ${(error as StatusError).message}`;
  }
};

const cases: [string, JsonValue, string | undefined][] = [
  ['the maximum number of objects and lists', listOf(maxBodyContainers - 1), undefined],
  ['one more', listOf(maxBodyContainers), '413 Request entity too large: limit is 100000 objects and lists'],
  ['the maximum number of members', objectOf(maxObjectMembers), undefined],
  [
    'one member more',
    { data: objectOf(maxObjectMembers + 1) },
    '413 Request entity too large: limit is 40000 members of one object',
  ],
  ['many members of several objects', listOf(3, objectOf(maxObjectMembers / 2)), undefined],
  ['a large text of brackets', { data: '[{},'.repeat(500_000) }, undefined],
  ['a large text of escaped quotes and colons', { data: '":'.repeat(500_000) }, undefined],
  ['a large list of numbers', listOf(500_000, 1), undefined],
];

describe.each(cases)('%s', (_what, value, expected) => {
  it('as JSON text', async () => {
    expect(await refusalOf(() => requireTextLimits(JSON.stringify(value)))).toBe(expected);
  });
  it('as a value', async () => {
    expect(await refusalOf(() => requireValueLimits(value))).toBe(expected);
  });
});

it.each([
  ['500 levels', 500, undefined],
  ['501 levels', 501, 'undefined exceeded max depth'],
])('JSON text of %s', async (_what, depth, expected) => {
  const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  expect(parseJson(text)).toBeInstanceOf(Array);
  expect(await refusalOf(() => requireTextLimits(text))).toBe(expected);
});
