import type { Clock } from '@annex/runtime';
import { Queue } from './queue.ts';
import { SeatDemand } from './seat-demand.ts';
import { Dealer } from './shuffle-sharding.ts';
import type { Queuing } from './specs.ts';
import { type Arrival, assumedMs, Ticket } from './ticket.ts';
import { TicketSet } from './ticket-set.ts';

/** How a priority level limits requests. */
export type Limiting =
  | { kind: 'exempt' }
  /** Requests that find no free seats are refused. */
  | { kind: 'reject' }
  | { kind: 'queue'; queuing: Queuing };

/** Counts of a priority level since its creation. */
export interface FairQueuesCounts {
  dispatched: number;
  rejected: number;
  timedOut: number;
  cancelled: number;
}

/**
 * The part of the seats of a level that requests with several seats leave to those with one. A deviation: in kube-apiserver a few
 * long lists can take all seats of a level, and a short request of another user waits until one of them has been read.
 */
const partOfNarrow = 1 / 4;

/**
 * The requests of a priority level. Seats are given to queues by fair queuing: the queue whose next request would end first,
 * if all queues were served at the same time, is next.
 * Source: https://kubernetes.io/docs/concepts/cluster-administration/flow-control/, KEP-1040
 */
export class FairQueues {
  readonly demand: SeatDemand;
  readonly counts: FairQueuesCounts = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };
  /** The tickets that have seats. */
  readonly executing = new TicketSet();
  seatsInUse = 0;
  seatsWaiting = 0;
  waiting = 0;
  /** The number of seats of the level. */
  limit = 0;
  queues: Queue[] = [];
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimeout'>;
  #limiting: Limiting = { kind: 'reject' };
  #dealer: Dealer | undefined;
  #activeQueues = 0;
  /** The work that each queue could have done so far, in seat-milliseconds. */
  #virtualTime = 0;
  #syncedAt: number;
  #arrivals = 0;
  #lastQueue = 0;
  /** The seats in use by requests with several seats. */
  #wideSeatsInUse = 0;

  constructor(clock: Pick<Clock, 'monotonic' | 'setTimeout'>) {
    this.#clock = clock;
    this.#syncedAt = clock.monotonic();
    this.demand = new SeatDemand(this.#syncedAt);
  }

  /** True if no request uses or waits for seats. */
  get isIdle(): boolean {
    return this.waiting === 0 && this.executing.size === 0;
  }

  /** Changes the limits. Requests that wait get the seats that became free. */
  configure(limiting: Limiting, limit: number): void {
    this.#sync();
    if (limiting.kind === 'queue') {
      const { queues, handSize } = limiting.queuing;
      const before = this.#limiting.kind === 'queue' ? this.#limiting.queuing : undefined;
      if (queues !== before?.queues || handSize !== before.handSize)
        this.#dealer = new Dealer(queues, handSize);
      while (this.queues.length < queues) this.queues.push(new Queue(this.queues.length));
    }
    this.#limiting = limiting;
    this.limit = limit;
    this.#removeQueues();
    this.#dispatch();
  }

  /**
   * Returns a ticket that has its seats, or one that waits for them (`startedAt` is undefined; `onStart` will be called), or the
   * reason why the request is refused.
   */
  start(arrival: Arrival): Ticket | 'concurrency-limit' | 'queue-full' {
    this.#sync();
    if (this.#limiting.kind !== 'queue') return this.#startWithoutQueue(arrival);
    const queue = this.#chooseQueue(arrival);
    if (queue.length >= this.#limiting.queuing.queueLengthLimit) {
      this.counts.rejected++;
      return 'queue-full';
    }
    const ticket = new Ticket(arrival, queue, this.#syncedAt, this.#virtualTime);
    if (queue.isIdle) {
      queue.nextStart = this.#virtualTime;
      this.#activeQueues++;
    }
    if (this.waiting === 0 && this.#hasSeatsFor(ticket)) {
      // Most requests wait for nobody.
      queue.nextStart = Math.max(queue.nextStart, ticket.arrivedAtWork);
      this.#lastQueue = queue.index;
      this.#execute(ticket);
      return ticket;
    }
    queue.add(ticket);
    this.waiting++;
    this.seatsWaiting += ticket.seats;
    this.#noteDemand();
    catchUp(queue);
    this.#dispatch();
    return ticket;
  }

  /** Ends the use of the seats of a ticket, if it has any, or its wait. */
  finish(ticket: Ticket, why: 'served' | 'timed out' | 'cancelled' = 'served'): void {
    this.#sync();
    if (ticket.startedAt === undefined) return this.#withdraw(ticket, why);
    this.#stopExecuting(ticket, this.#syncedAt - ticket.startedAt);
    const { finalMs } = ticket.estimate;
    if (finalMs > 0) {
      this.#clock.setTimeout(() => {
        this.#sync();
        this.#release(ticket);
        this.#dispatch();
      }, finalMs);
    } else this.#release(ticket);
    this.#dispatch();
  }

  #startWithoutQueue(arrival: Arrival): Ticket | 'concurrency-limit' {
    const ticket = new Ticket(arrival, undefined, this.#syncedAt, this.#virtualTime);
    if (!this.#hasSeatsFor(ticket)) {
      this.counts.rejected++;
      return 'concurrency-limit';
    }
    this.#execute(ticket);
    return ticket;
  }

  /** Chooses the queue with the least waiting work in the hand of the flow. */
  #chooseQueue({ schema, distinguisher }: Arrival): Queue {
    const hand = this.#dealer!.hand(schema, distinguisher);
    const first = this.#arrivals++ % hand.length;
    let best: Queue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.queues[hand[(first + i) % hand.length]!]!;
      if (best === undefined || queue.waitingWork < best.waitingWork) best = queue;
    }
    return best!;
  }

  #dispatch(): void {
    while (this.waiting > 0 && this.seatsInUse < this.limit) {
      const found = this.#nextQueue();
      const ticket = found?.first;
      if (found === undefined || ticket === undefined || !this.#hasSeatsFor(ticket)) return;
      this.#leaveQueue(found, ticket);
      this.#execute(ticket);
      catchUp(found);
      ticket.onStart?.();
    }
  }

  /** Returns the queue whose next request would end first; if several would, the first one after the last dispatch. */
  #nextQueue(): Queue | undefined {
    let best: Queue | undefined;
    let earliest = Infinity;
    const { length } = this.queues;
    for (let i = 1; i <= length; i++) {
      const queue = this.queues[(this.#lastQueue + i) % length]!;
      const { first } = queue;
      if (first === undefined || this.#leavesTooFew(first)) continue;
      const end = queue.nextStart + first.work;
      if (end < earliest) [best, earliest] = [queue, end];
    }
    if (best !== undefined) this.#lastQueue = best.index;
    return best;
  }

  #hasSeatsFor(ticket: Ticket): boolean {
    const { seats } = ticket;
    if (this.#limiting.kind === 'exempt') return true;
    if (this.#leavesTooFew(ticket)) return false;
    // A request that needs more seats than there are runs alone.
    return seats > this.limit ? this.executing.size === 0 : this.seatsInUse + seats <= this.limit;
  }

  /** Returns whether a request with several seats would take some that are kept for requests with one. */
  #leavesTooFew({ seats, isWide }: Ticket): boolean {
    const most = this.limit - Math.ceil(this.limit * partOfNarrow);
    return isWide && this.#wideSeatsInUse > 0 && this.#wideSeatsInUse + seats > most;
  }

  #execute(ticket: Ticket): void {
    ticket.startedAt = this.#syncedAt;
    this.counts.dispatched++;
    this.executing.add(ticket);
    this.seatsInUse += ticket.seats;
    if (ticket.isWide) this.#wideSeatsInUse += ticket.seats;
    if (ticket.queue !== undefined) {
      ticket.queue.executing++;
      ticket.queue.seatsInUse += ticket.seats;
      ticket.queue.nextStart += ticket.work;
    }
    this.#noteDemand();
  }

  #stopExecuting(ticket: Ticket, durationMs: number): void {
    this.executing.delete(ticket);
    const { queue } = ticket;
    if (queue === undefined) return;
    queue.executing--;
    // The assumed duration was charged when the request began.
    queue.nextStart += ticket.estimate.seats * (durationMs - assumedMs);
    catchUp(queue);
    if (queue.isIdle) this.#activeQueues--;
  }

  #release(ticket: Ticket): void {
    this.seatsInUse -= ticket.seats;
    if (ticket.isWide) this.#wideSeatsInUse -= ticket.seats;
    if (ticket.queue !== undefined) ticket.queue.seatsInUse -= ticket.seats;
    this.#noteDemand();
    this.#removeQueues();
  }

  #withdraw(ticket: Ticket, why: 'served' | 'timed out' | 'cancelled'): void {
    const { queue } = ticket;
    if (queue === undefined || !this.#leaveQueue(queue, ticket)) return;
    this.counts.rejected++;
    if (why === 'timed out') this.counts.timedOut++;
    else this.counts.cancelled++;
    catchUp(queue);
    if (queue.isIdle) this.#activeQueues--;
    this.#noteDemand();
    this.#removeQueues();
    // It may have been the one that needed more seats than are free.
    this.#dispatch();
  }

  #leaveQueue(queue: Queue, ticket: Ticket): boolean {
    if (!queue.remove(ticket)) return false;
    this.waiting--;
    this.seatsWaiting -= ticket.seats;
    return true;
  }

  /** Removes queues that are no longer wanted when they are empty, from the end: hands are dealt from the first ones. */
  #removeQueues(): void {
    const wanted = this.#limiting.kind === 'queue' ? this.#limiting.queuing.queues : 0;
    while (this.queues.length > wanted && this.queues.at(-1)!.isIdle) this.queues.pop();
    if (this.#lastQueue >= this.queues.length) this.#lastQueue = 0;
  }

  /** Advances the virtual time: the seats in use are divided among the queues with requests. */
  #sync(): void {
    const now = this.#clock.monotonic();
    if (this.#activeQueues > 0) {
      const seats = Math.min(this.seatsInUse + this.seatsWaiting, this.limit);
      this.#virtualTime += ((now - this.#syncedAt) * seats) / this.#activeQueues;
    }
    this.#syncedAt = now;
  }

  #noteDemand(): void {
    this.demand.set(this.seatsInUse + this.seatsWaiting, this.#syncedAt);
  }
}

/** A queue cannot save up the time in which it had no requests. */
function catchUp(queue: Queue): void {
  const { first } = queue;
  if (first !== undefined && queue.nextStart < first.arrivedAtWork) queue.nextStart = first.arrivedAtWork;
}
