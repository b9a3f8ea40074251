import { expect, it } from 'vitest';
import { duringTurns, useShortSlices } from '../short-slices.fixture.ts';
import { SharedValues } from './shared-values.ts';

it('copies a list into shared memory in slices', async () => {
  const entries = Array.from({ length: 20 }, (_, i) => ({
    key: `/${i}`,
    value: Buffer.from(`value ${i}`),
    createRevision: i,
    modRevision: i,
  }));
  const list = { entries, revision: 30, more: true, count: 40 };
  useShortSlices();
  const { result, turns } = await duringTurns(new SharedValues().list(list));
  const texts = result.entries.map((entry) => ({ ...entry, value: Buffer.from(entry.value) }));
  expect({ ...result, entries: texts }).toEqual(list);
  expect(result.entries.every(({ value }) => value.buffer instanceof SharedArrayBuffer)).toBe(true);
  expect(turns).toBeGreaterThan(5);
});
