import { describe, expect, it } from 'vitest';
import { ReadSchedule } from './read-schedule.ts';

describe('discovery is read', () => {
  it('soon after a change, and at growing intervals after that', () => {
    const schedule = new ReadSchedule();
    expect(schedule.changed(0)).toBe(50);
    const next = [50, 550, 3050, 13_050].map((now) => schedule.read(now, 70));
    expect(next).toEqual([500, 2500, 10_000, undefined]);
  });

  it('again soon after a later change', () => {
    const schedule = new ReadSchedule();
    schedule.changed(0);
    schedule.read(50, 70);
    expect(schedule.changed(1000)).toBe(50);
    expect(schedule.read(1050, 70)).toBe(500);
  });

  it.each([
    [1000, 500],
    [10_000, 5000],
  ])('not again for %i resources before %i ms, however many changes there are', (resources, rest) => {
    const schedule = new ReadSchedule();
    schedule.changed(0);
    expect(schedule.read(50, resources)).toBe(rest);
    expect(schedule.changed(60)).toBe(rest - 10);
    expect(schedule.changed(50 + rest)).toBe(50);
  });
});
