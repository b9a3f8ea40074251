import type { FlowRequest } from './flow-request.ts';
import type { Queue } from './queue.ts';
import type { WorkEstimate } from './work-estimate.ts';

/** The assumed duration of a request until its real one is known, in milliseconds. */
export const assumedMs = 3;

/** A request that comes to a priority level. */
export interface Arrival {
  request: FlowRequest;
  /** The name of its FlowSchema. */
  schema: string;
  /** What distinguishes its flow from others of the schema. */
  distinguisher: string;
  estimate: WorkEstimate;
}

/** A request that has seats or waits for them. */
export class Ticket {
  readonly request: FlowRequest;
  readonly schema: string;
  readonly distinguisher: string;
  readonly estimate: WorkEstimate;
  /** Its maximum number of seats. */
  readonly seats: number;
  /** True if it uses several seats while it runs. */
  readonly isWide: boolean;
  /** Its estimated work, in seat-milliseconds. */
  readonly work: number;
  /** The queue; absent in levels without queues. */
  readonly queue: Queue | undefined;
  /** Milliseconds of a clock that never jumps. */
  readonly arrivedAt: number;
  /** The virtual time of its arrival, in seat-milliseconds. */
  readonly arrivedAtWork: number;
  startedAt: number | undefined;
  /** Its position among the tickets with seats. */
  position = -1;
  /** Called when a waiting ticket gets its seats. */
  onStart: (() => void) | undefined;

  constructor(of: Arrival, queue: Queue | undefined, arrivedAt: number, arrivedAtWork: number) {
    this.request = of.request;
    this.schema = of.schema;
    this.distinguisher = of.distinguisher;
    this.estimate = of.estimate;
    this.queue = queue;
    const { seats, finalSeats, finalMs } = of.estimate;
    this.seats = Math.max(seats, finalSeats);
    this.isWide = seats > 1;
    this.work = seats * assumedMs + finalSeats * finalMs;
    this.arrivedAt = arrivedAt;
    this.arrivedAtWork = arrivedAtWork;
  }
}
