import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';

test('timers fire in order, at their time and not earlier', async () => {
  const clock = new FakeClock(0);
  const events: string[] = [];
  clock.setTimeout(() => events.push(`b${clock.now()}`), 20);
  clock.setTimeout(() => events.push(`a${clock.now()}`), 10);
  const every = clock.setInterval(() => events.push(`i${clock.now()}`), 15);
  void clock.sleep(25).then(() => events.push(`s${clock.now()}`));
  await clock.advance(9);
  expect(events).toEqual([]);
  await clock.advance(21);
  expect(events).toEqual(['a10', 'i15', 'b20', 's25', 'i30']);
  every.cancel();
  expect(clock.pending).toBe(0);
});

test('sleep ends with its signal', async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const slept = clock.sleep(10, abort.signal);
  abort.abort(new Error('enough'));
  await expect(slept).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});
