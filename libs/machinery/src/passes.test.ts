import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { finish, finishInSlices, finishSoon, sortInPasses, type Passes } from './passes.ts';

function* count(done: number[]): Passes<string> {
  for (let i = 0; i < 4; i++) {
    done.push(i);
    yield;
  }
  return 'result';
}

it('work is finished at once', () => {
  const done: number[] = [];
  expect(finish(count(done))).toBe('result');
  expect(done).toEqual([0, 1, 2, 3]);
});

it('work is finished in slices: it pauses where a pause is due', async () => {
  const done: number[] = [];
  const seen: number[] = [];
  const pause = () =>
    done.length % 2 === 0 ? Promise.resolve().then(() => void seen.push(done.length)) : undefined;
  expect(await finishInSlices(count(done), pause)).toBe('result');
  expect(seen).toEqual([2, 4]);
});

it('work is finished without a promise if no pause is due', async () => {
  const done: number[] = [];
  expect(finishSoon(count(done), () => undefined)).toBe('result');
  const seen: number[] = [];
  const pause = () =>
    done.length === 6 ? Promise.resolve().then(() => void seen.push(done.length)) : undefined;
  const finished = finishSoon(count(done), pause);
  expect(finished).toBeInstanceOf(Promise);
  expect([await finished, done.length, seen]).toEqual(['result', 8, [6]]);
});

it('an error of a pass is thrown', async () => {
  function* fails(): Passes<void> {
    yield;
    throw new Error('no');
  }
  expect(() => finish(fails())).toThrow('no');
  await expect(finishInSlices(fails(), () => undefined)).rejects.toThrow('no');
});

it('sorts like sort, also equal items', () => {
  const items = fc.array(fc.tuple(fc.nat(50), fc.nat()), { minLength: 0, maxLength: 3000, size: 'max' });
  const byFirst = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0);
  fc.assert(
    fc.property(items, (list) => {
      expect(finish(sortInPasses([...list], byFirst))).toEqual([...list].sort(byFirst));
    }),
    { numRuns: samples(20) },
  );
});

it('pauses for each 512 items', () => {
  let pauses = 0;
  const list = Array.from({ length: 2048 }, (_, i) => -i);
  for (const _ of sortInPasses(list, (a, b) => a - b)) pauses++;
  expect([pauses, list[0]]).toEqual([14, -2047]);
});
