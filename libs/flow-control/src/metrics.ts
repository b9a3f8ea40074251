import type { Gauge, Metrics } from '@annex/runtime';
import type { PriorityLevel } from './priority-level.ts';
import type { Ticket } from './ticket.ts';

const prefix = 'apiserver_flowcontrol_';
const labels = ['priority_level', 'flow_schema'] as const;
const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

interface Flow {
  name: string;
  level: PriorityLevel;
}

/** kube-apiserver's metrics of API Priority and Fairness. */
export class FlowControlMetrics {
  readonly #dispatched;
  readonly #rejected;
  readonly #waits;

  constructor(metrics: Metrics, levels: () => readonly PriorityLevel[]) {
    this.#dispatched = metrics.counter(
      `${prefix}dispatched_requests_total`,
      'Requests that got seats.',
      labels,
    );
    this.#rejected = metrics.counter(`${prefix}rejected_requests_total`, 'Requests that were refused.', [
      ...labels,
      'reason',
    ]);
    this.#waits = metrics.histogram(
      `${prefix}request_wait_duration_seconds`,
      'Time of requests in queues.',
      [...labels, 'execute'],
      waitBuckets,
    );
    for (const [name, help, value] of levelGauges) {
      metrics.gauge(prefix + name, help, ['priority_level'], (gauge) => {
        gauge.clear();
        for (const level of levels()) gauge.set({ priority_level: level.name }, value(level));
      });
    }
    for (const [name, help, tickets, value] of flowGauges) {
      metrics.gauge(prefix + name, help, labels, (gauge) => collect(gauge, levels(), tickets, value));
    }
  }

  /** Returns the counter of a schema's requests that get seats. */
  dispatched(schema: string, level: PriorityLevel): { inc(): void } {
    return this.#dispatched.with({ priority_level: level.name, flow_schema: schema });
  }

  refused({ name, level }: Flow, reason: 'concurrency-limit' | 'queue-full' | 'time-out'): void {
    this.#rejected.inc({ priority_level: level.name, flow_schema: name, reason });
  }

  /** Records the end of a wait. */
  waited({ name, level }: Flow, milliseconds: number, isExecuted: boolean): void {
    const execute = String(isExecuted);
    this.#waits.observe({ priority_level: level.name, flow_schema: name, execute }, milliseconds / 1000);
  }
}

const levelGauges: [name: string, help: string, value: (level: PriorityLevel) => number][] = [
  ['nominal_limit_seats', 'Nominal seats of a level.', ({ nominal }) => nominal],
  ['lower_limit_seats', 'The least seats of a level.', ({ least }) => least],
  ['upper_limit_seats', 'The most seats of a level.', ({ most }) => most],
  ['current_limit_seats', 'The present seats of a level.', ({ queues }) => queues.limit],
  [
    'demand_seats_high_watermark',
    'The most wanted seats of the last period.',
    ({ queues }) => queues.demand.highest,
  ],
  ['demand_seats_smoothed', 'Smoothed demand for seats.', ({ queues }) => queues.demand.smoothed],
];

type Tickets = (level: PriorityLevel) => Iterable<Ticket>;
const executing: Tickets = ({ queues }) => queues.executing;
const waiting: Tickets = ({ queues }) => queues.queues.flatMap((queue) => [...queue.waiting]);
const one = () => 1;
const seats = (ticket: Ticket) => ticket.seats;

const flowGauges: [name: string, help: string, tickets: Tickets, value: (ticket: Ticket) => number][] = [
  ['current_executing_requests', 'Requests that have seats.', executing, one],
  ['current_executing_seats', 'Seats in use.', executing, seats],
  ['current_inqueue_requests', 'Requests in queues.', waiting, one],
  ['current_inqueue_seats', 'Seats that requests in queues wait for.', waiting, seats],
];

function collect(
  gauge: Gauge<(typeof labels)[number]>,
  levels: readonly PriorityLevel[],
  tickets: Tickets,
  value: (ticket: Ticket) => number,
): void {
  gauge.clear();
  for (const level of levels) {
    for (const ticket of tickets(level)) {
      gauge.inc({ priority_level: level.name, flow_schema: ticket.schema }, value(ticket));
    }
  }
}
