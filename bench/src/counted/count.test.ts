import { afterAll, beforeAll, expect, test } from 'vitest';
import { AllocationCounter, committedAllocations, tolerance } from './count.ts';

const committed = committedAllocations();
const names = Object.keys(committed);
let counter: AllocationCounter;

beforeAll(async () => {
  counter = await AllocationCounter.start();
}, 120_000);

afterAll(() => counter[Symbol.asyncDispose]());

const limitOf = (name: string): number => (committed[name] ?? 0) * (1 + tolerance);

test('every row has a committed number', () => {
  expect([...counter.rows.keys()]).toEqual(names);
});

test.each(names)(
  '%s does not allocate more than before; npm run bench -- --allocations writes the new numbers',
  async (name) => {
    expect(await counter.count(name)).toBeLessThanOrEqual(limitOf(name));
  },
);

test.each(names)('%s with a twentieth more bytes exceeds its limit', async (name) => {
  expect(await counter.count(name, (committed[name] ?? 0) / 20, 2)).toBeGreaterThan(limitOf(name));
});
