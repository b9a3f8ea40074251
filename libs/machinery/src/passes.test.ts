import { expect, it } from 'vitest';
import { finish, finishInSlices, type Passes } from './passes.ts';

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

it('an error of a pass is thrown', async () => {
  function* fails(): Passes<void> {
    yield;
    throw new Error('no');
  }
  expect(() => finish(fails())).toThrow('no');
  await expect(finishInSlices(fails(), () => undefined)).rejects.toThrow('no');
});
