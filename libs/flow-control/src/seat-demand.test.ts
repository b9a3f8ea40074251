import { expect, it } from 'vitest';
import { SeatDemand } from './seat-demand.ts';

it('rising demand is followed at once, falling demand slowly', () => {
  const demand = new SeatDemand(0);
  demand.set(10, 0);
  demand.endPeriod(10_000);
  expect([demand.highest, demand.smoothed]).toEqual([10, 10]);
  demand.set(0, 10_000);
  demand.endPeriod(20_000);
  expect(demand.highest).toBe(10);
  expect(demand.smoothed).toBeCloseTo(9.77);
  demand.endPeriod(30_000);
  expect(demand.highest).toBe(0);
});

it('a demand that varies counts with its standard deviation', () => {
  const demand = new SeatDemand(0);
  demand.set(20, 0);
  demand.set(0, 5_000);
  demand.endPeriod(10_000);
  expect(demand.smoothed).toBeCloseTo(10 + 10);
});

it('a period without duration changes only the maximum', () => {
  const demand = new SeatDemand(0);
  demand.set(3, 0);
  demand.endPeriod(0);
  expect([demand.highest, demand.smoothed]).toEqual([3, 0]);
});
