import { Buffer } from 'node:buffer';
import type { JsonValue, StatusError } from '@annex/machinery';
import { expect, it } from 'vitest';
import { maxBodyContainers, requireContainerLimit } from './body-containers.ts';

const listOf = (count: number): JsonValue => Array.from({ length: count }, () => ({}));
const bodyOf = (value: JsonValue): Buffer => Buffer.from(JSON.stringify(value));

const refusal = (value: JsonValue): string | undefined => {
  try {
    requireContainerLimit(value, bodyOf(value));
    return undefined;
  } catch (error) {
    return `${(error as StatusError).code} ${(error as StatusError).message}`;
  }
};

it.each<[string, JsonValue, string | undefined]>([
  ['the maximum number of objects and lists', listOf(maxBodyContainers - 1), undefined],
  ['one more', listOf(maxBodyContainers), '413 Request entity too large: limit is 250000 objects and lists'],
  ['a large text of brackets', { data: '[{},'.repeat(500_000) }, undefined],
  ['a large list of numbers', Array.from({ length: 500_000 }, () => 1), undefined],
])('%s', (_what, value, expected) => {
  expect(refusal(value)).toBe(expected);
});
