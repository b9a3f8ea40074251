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

/** Some processes allocate up to a tenth more for writes, with the same code: a number above the limit is counted again in others. */
async function lowest(name: string): Promise<number> {
  let bytes = await counter.count(name);
  for (let again = 0; again < 4 && bytes > limitOf(name); again++) {
    await using other = await AllocationCounter.start();
    bytes = Math.min(bytes, await other.count(name));
  }
  return bytes;
}

test('every row has a committed number', () => {
  expect([...counter.rows.keys()]).toEqual(names);
});

test.each(names)(
  '%s does not allocate more than before; npm run bench -- --allocations writes the new numbers',
  async (name) => {
    expect(await lowest(name)).toBeLessThanOrEqual(limitOf(name));
  },
  240_000,
);

test.each(names)('%s with a twentieth more bytes exceeds its limit', async (name) => {
  expect(await counter.count(name, (committed[name] ?? 0) / 20, 2)).toBeGreaterThan(limitOf(name));
});
