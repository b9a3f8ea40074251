import { FakeClock, samples } from '@annex/testkit';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { FairQueues, type Limiting } from './fair-queues.ts';
import { flowRequest } from './flow-request.fixture.ts';
import { type Arrival, Ticket } from './ticket.ts';

let clock: FakeClock;
let level: FairQueues;

beforeEach(() => {
  clock = new FakeClock();
  level = new FairQueues(clock);
});

const queued = (queues: number, handSize: number, queueLengthLimit: number): Limiting => ({
  kind: 'queue',
  queuing: { queues, handSize, queueLengthLimit },
});
const arrival = (distinguisher: string, seats = 1, finalMs = 0): Arrival => ({
  request: flowRequest(),
  schema: 's',
  distinguisher,
  estimate: { seats, finalSeats: finalMs === 0 ? 0 : seats, finalMs },
});
const ticket = (outcome: ReturnType<FairQueues['start']>): Ticket => {
  if (!(outcome instanceof Ticket)) throw new Error(outcome);
  return outcome;
};

/** Runs requests of 10 ms, and notes the order of their flows. */
function runner() {
  const order: string[] = [];
  const run = (flow: string) => {
    const one = ticket(level.start(arrival(flow)));
    const begin = () => {
      order.push(flow);
      clock.setTimeout(() => level.finish(one), 10);
    };
    if (one.startedAt === undefined) one.onStart = begin;
    else begin();
  };
  return { order, run };
}

it('requests have seats up to the limit, and the next one waits for the first to end', () => {
  level.configure(queued(1, 1, 10), 2);
  const [first, , third] = ['a', 'b', 'c'].map((flow) => ticket(level.start(arrival(flow))));
  let isStarted = false;
  third!.onStart = () => (isStarted = true);
  expect([level.seatsInUse, level.waiting, isStarted]).toEqual([2, 1, false]);
  level.finish(first!);
  expect([level.seatsInUse, level.waiting, isStarted]).toEqual([2, 0, true]);
});

it('a full queue refuses requests while all seats are in use', () => {
  level.configure(queued(1, 1, 1), 1);
  const first = ticket(level.start(arrival('a')));
  ticket(level.start(arrival('a')));
  expect(level.start(arrival('a'))).toBe('queue-full');
  level.finish(first);
  expect(level.start(arrival('a'))).toBeInstanceOf(Ticket);
  expect(level.counts).toMatchObject({ dispatched: 2, rejected: 1 });
});

it('a level without queues refuses what finds no seats', () => {
  level.configure({ kind: 'reject' }, 1);
  const first = ticket(level.start(arrival('a')));
  expect(level.start(arrival('b'))).toBe('concurrency-limit');
  level.finish(first);
  expect(ticket(level.start(arrival('b'))).startedAt).toBe(0);
});

it('an exempt level has no limit', () => {
  level.configure({ kind: 'exempt' }, 0);
  const tickets = Array.from({ length: 100 }, () => ticket(level.start(arrival('a'))));
  expect(level.seatsInUse).toBe(100);
  tickets.forEach((one) => level.finish(one));
  expect(level.isIdle).toBe(true);
});

it('a request with more seats than there are runs alone', () => {
  level.configure(queued(1, 1, 10), 2);
  const small = ticket(level.start(arrival('a')));
  const large = ticket(level.start(arrival('a', 5)));
  expect(large.startedAt).toBeUndefined();
  level.finish(small);
  expect(large.startedAt).toBe(0);
  expect(ticket(level.start(arrival('a'))).startedAt).toBeUndefined();
});

it('seats for events are kept after the response', async () => {
  level.configure(queued(1, 1, 10), 1);
  const change = ticket(level.start(arrival('a', 1, 50)));
  const next = ticket(level.start(arrival('a')));
  level.finish(change);
  await clock.advance(49);
  expect(next.startedAt).toBeUndefined();
  await clock.advance(1);
  expect(next.startedAt).toBe(50);
});

it('a ticket that leaves its queue frees its place', () => {
  level.configure(queued(1, 1, 1), 1);
  ticket(level.start(arrival('a')));
  const waiting = ticket(level.start(arrival('a')));
  level.finish(waiting, 'timed out');
  expect([level.waiting, level.counts.timedOut]).toEqual([0, 1]);
  expect(level.start(arrival('a'))).toBeInstanceOf(Ticket);
});

it('more seats start waiting requests, and fewer queues are removed when they are empty', () => {
  level.configure(queued(4, 1, 10), 1);
  const tickets = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((flow) => ticket(level.start(arrival(flow))));
  level.configure(queued(1, 1, 10), 7);
  expect(level.waiting).toBe(0);
  tickets.forEach((one) => level.finish(one));
  expect(level.queues).toHaveLength(1);
});

it('a flow with few requests overtakes one that floods its queue', async () => {
  level.configure(queued(64, 1, 1000), 2);
  const { order, run } = runner();
  for (let i = 0; i < 100; i++) run('flood');
  for (let i = 0; i < 5; i++) run('light');
  await clock.advance(120);
  // Ten turns of two seats: half of them are for each flow.
  expect(order.slice(0, 16).filter((flow) => flow === 'light')).toHaveLength(5);
  await clock.advance(1000);
  expect(order).toHaveLength(105);
  expect(level.isIdle).toBe(true);
});

describe('requests with several seats', () => {
  it('leave a quarter of the seats to requests with one', () => {
    level.configure(queued(8, 2, 10), 8);
    const wide = ['a', 'a', 'a'].map((flow) => ticket(level.start(arrival(flow, 3))));
    const narrow = ticket(level.start(arrival('b')));
    expect([...wide, narrow].map(({ startedAt }) => startedAt !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    let isStarted = false;
    wide[2]!.onStart = () => (isStarted = true);
    level.finish(narrow);
    expect(isStarted).toBe(false);
    level.finish(wide[0]!);
    expect(isStarted).toBe(true);
  });

  it('are refused when their queue is full, even though seats are left', () => {
    level.configure(queued(1, 1, 1), 8);
    for (let i = 0; i < 2; i++) level.start(arrival('a', 4));
    expect(level.start(arrival('a', 4))).toBe('queue-full');
    expect(level.start(arrival('a'))).toBe('queue-full');
  });
});

it('a flow gets no credit for the time in which it sent nothing', async () => {
  level.configure(queued(64, 1, 1000), 1);
  const { order, run } = runner();
  for (let i = 0; i < 50; i++) run('a');
  await clock.advance(200);
  order.length = 0;
  for (let i = 0; i < 20; i++) run('b');
  await clock.advance(200);
  const mine = order.filter((flow) => flow === 'b').length;
  expect(mine).toBeGreaterThan(7);
  expect(mine).toBeLessThan(13);
});

it('any sequence of requests keeps the limits, and ends with nothing in use', async () => {
  const step = fc.record({
    flow: fc.constantFrom('a', 'b', 'c', 'd'),
    seats: fc.integer({ min: 1, max: 6 }),
    finalMs: fc.constantFrom(0, 5),
    ms: fc.integer({ min: 0, max: 20 }),
    ends: fc.constantFrom('served', 'timed out', 'cancelled'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, limit) => {
        const time = new FakeClock();
        const queues = new FairQueues(time);
        queues.configure(queued(8, 2, 3), limit);
        const open: { one: Ticket; ends: 'served' | 'timed out' | 'cancelled' }[] = [];
        for (const { flow, seats, finalMs, ms, ends } of steps) {
          const outcome = queues.start(arrival(flow, seats, finalMs));
          if (outcome instanceof Ticket) open.push({ one: outcome, ends: ends as 'served' });
          const used = [...queues.executing].reduce((sum, one) => sum + one.seats, 0);
          expect(used <= limit || queues.executing.size === 1).toBe(true);
          await time.advance(ms);
          if (ms % 3 === 0) {
            const last = open.shift();
            if (last) queues.finish(last.one, last.ends);
          }
        }
        for (const { one, ends } of open) queues.finish(one, ends);
        // What was waiting when another one left has its seats now.
        for (const one of [...queues.executing]) queues.finish(one);
        await time.advance(100);
        expect([queues.seatsInUse, queues.seatsWaiting, queues.waiting]).toEqual([0, 0, 0]);
        expect(queues.isIdle).toBe(true);
      },
    ),
    { numRuns: samples(100) },
  );
});
