import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RequestEnd } from './request-end.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('aborts when the time is over', () => {
  using end = new RequestEnd(1000, undefined);
  vi.advanceTimersByTime(999);
  expect(end.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(end.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

it('aborts with the signal of the caller, for its reason', () => {
  const caller = new AbortController();
  using end = new RequestEnd(1000, caller.signal);
  caller.abort(new Error('enough'));
  expect(end.signal.reason).toEqual(new Error('enough'));
});

it('is aborted at once if the signal of the caller is', () => {
  using end = new RequestEnd(1000, AbortSignal.abort(new Error('before')));
  expect(end.signal.reason).toEqual(new Error('before'));
});

it('leaves no timer and no listener', () => {
  const caller = new AbortController();
  const end = new RequestEnd(1000, caller.signal);
  expect([vi.getTimerCount(), getEventListeners(caller.signal, 'abort').length]).toEqual([1, 1]);
  end[Symbol.dispose]();
  expect([vi.getTimerCount(), getEventListeners(caller.signal, 'abort').length]).toEqual([0, 0]);
});

it('many requests can share the signal of their caller without a warning', () => {
  const warned = vi.spyOn(process, 'emitWarning');
  const caller = new AbortController();
  const ends = Array.from({ length: 50 }, () => new RequestEnd(1000, caller.signal));
  expect(warned).not.toHaveBeenCalled();
  for (const end of ends) end[Symbol.dispose]();
});
