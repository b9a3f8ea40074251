import type { Clock } from '@annex/runtime';
import { FairQueues, type Limiting } from './fair-queues.ts';
import { RetryAfter } from './retry-after.ts';
import { entropyBits, usableHashBits } from './shuffle-sharding.ts';
import type { Configured, PriorityLevelSpec } from './specs.ts';

/** The largest part of the nominal seats that one request takes. */
const largestPart = 0.15;
/** Levels with more queues are not used: each queue takes memory. A deviation: kube-apiserver allows ten million. */
export const maxQueues = 100_000;

/** A priority level at work: its requests, and its part of the server's seats. */
export class PriorityLevel {
  readonly name: string;
  uid = '';
  readonly queues: FairQueues;
  readonly retryAfter = new RetryAfter();
  /** The seats of the level. It lends those above the least ones, and borrows up to the most. */
  nominal = 0;
  least = 0;
  most = 0;
  /** The maximum seats of one request. */
  seatsOfRequest = Infinity;
  /** True if its object was deleted: it ends with its last request. */
  isQuiescing = false;
  limiting: Limiting = { kind: 'reject' };
  #spec: PriorityLevelSpec = { type: 'Limited' };

  constructor(name: string, clock: Pick<Clock, 'monotonic' | 'setTimeout'>) {
    this.name = name;
    this.queues = new FairQueues(clock);
  }

  get shares(): number {
    return (this.#spec.limited ?? this.#spec.exempt)?.nominalConcurrencyShares ?? 0;
  }

  use({ uid, spec }: Configured<PriorityLevelSpec>): void {
    this.uid = uid;
    this.isQuiescing = false;
    this.#spec = spec;
    this.limiting = limitingOf(spec)!;
  }

  /** Computes its part of the seats of the server. */
  divide(serverSeats: number, sumOfShares: number): void {
    const { limited, exempt } = this.#spec;
    this.nominal = sumOfShares === 0 ? 0 : Math.ceil((serverSeats * this.shares) / sumOfShares);
    this.least = this.nominal - percentOf((limited ?? exempt)?.lendablePercent ?? 0, this.nominal);
    const borrowed = limited?.borrowingLimitPercent;
    this.most = this.nominal + (borrowed === undefined ? serverSeats : percentOf(borrowed, this.nominal));
    if (this.limiting.kind === 'queue') {
      const { handSize } = this.limiting.queuing;
      const part = Math.min(Math.ceil(this.nominal * largestPart), Math.floor(this.nominal / handSize));
      this.seatsOfRequest = Math.max(1, part);
    } else this.seatsOfRequest = Infinity;
  }
}

const percentOf = (percent: number, seats: number): number => Math.round((seats * percent) / 100);

/** Returns how a level limits requests; undefined if its spec is inconsistent. */
export function limitingOf(spec: PriorityLevelSpec): Limiting | undefined {
  if (spec.type === 'Exempt') return spec.limited === undefined ? { kind: 'exempt' } : undefined;
  const response = spec.limited?.limitResponse;
  if (response?.type === 'Reject') return { kind: 'reject' };
  const queuing = response?.queuing;
  if (response?.type !== 'Queue' || queuing === undefined) return undefined;
  const { queues, handSize } = queuing;
  const isPossible = queues >= 1 && queues <= maxQueues && handSize >= 1 && handSize <= queues;
  return isPossible && entropyBits(queues, handSize) <= usableHashBits
    ? { kind: 'queue', queuing }
    : undefined;
}
