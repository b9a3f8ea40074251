import { expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import { createLifecycle, type Part } from './lifecycle.ts';

function recorded(...names: string[]): { events: string[]; parts: Part[] } {
  const events: string[] = [];
  const parts = names.map((name) => ({
    name,
    start: () => void events.push(`+${name}`),
    stop: () => void events.push(`-${name}`),
  }));
  return { events, parts };
}

test('parts start in their order and stop in reverse, once', async () => {
  const { events, parts } = recorded('a', 'b');
  const lifecycle = createLifecycle(parts);
  await lifecycle.start();
  expect(await Promise.all([lifecycle.stop(), lifecycle.stop()])).toEqual([[], []]);
  expect(events).toEqual(['+a', '+b', '-b', '-a']);
});

test('a part that fails to start stops the started parts', async () => {
  const { events, parts } = recorded('a', 'c');
  const broken = {
    name: 'b',
    start: () => Promise.reject(new Error('no')),
    stop: () => void events.push('-b'),
  };
  await expect(createLifecycle([parts[0]!, broken, parts[1]!]).start()).rejects.toThrow('no');
  expect(events).toEqual(['+a', '-b', '-a']);
});

test('parts that fail to stop, or exceed the deadline, are reported, and the others still stop', async () => {
  const { events, parts } = recorded('a');
  // The deadline passes immediately.
  const clock: Clock = { ...systemClock, setTimeout: (call) => systemClock.setTimeout(call, 0) };
  const late = { name: 'late', stop: () => new Promise<void>(() => undefined) };
  const broken = { name: 'broken', stop: () => Promise.reject(new Error('no')) };
  const lifecycle = createLifecycle([parts[0]!, broken, late], { clock, deadline: 5 });
  await lifecycle.start();
  expect((await lifecycle.stop()).map((error) => error.message)).toEqual([
    'late did not stop within 5 ms',
    'broken failed to stop: Error: no',
  ]);
  expect(events).toEqual(['+a', '-a']);
});
