import { type Classified, type FlowControl, Ticket } from '@annex/flow-control';
import type { RequestContext } from '@annex/kinds';
import { tooManyRequests } from '@annex/machinery';
import type { Next, Step } from '../step.ts';
import { isStream } from '../streams.ts';
import { timeoutOf } from './deadline.ts';
import { tooManyText } from './limit-in-flight.ts';

/** The longest time of a request in a queue. */
export const maxQueuedMs = 60_000;
/** The part of a request's timeout that it is allowed to wait in a queue. */
const queuedPart = 1 / 4;

/**
 * Gives each request its seats, or refuses it with 429: API Priority and Fairness. A request waits for at most a quarter of its
 * timeout. Watches have seats until they have begun; other streams have none.
 */
export const limitFlows = (flows: FlowControl, requestTimeoutMs: number): Step => ({
  name: 'limitRequests',
  run(request, next) {
    const isWatch = request.info.verb === 'watch';
    if (!isWatch && isStream(request)) return next(request);
    const classified = flows.classify(request);
    const { schema, outcome } = classified;
    request.flowHeaders = schema.headers;
    if (!(outcome instanceof Ticket)) throw flows.refuse(schema, tooMany);
    if (outcome.startedAt !== undefined) return runWithSeats(flows, classified, outcome, request, next);
    const longest = isWatch ? requestTimeoutMs : timeoutOf(request, requestTimeoutMs);
    const waitMs = longest === 0 ? maxQueuedMs : Math.min(longest * queuedPart, maxQueuedMs);
    return flows.wait(schema, outcome, waitMs, request.signal).then((why) => {
      if (why !== 'started') throw flows.refuse(schema, tooMany);
      return runWithSeats(flows, classified, outcome, request, next);
    });
  },
});

const tooMany = (retryAfterSeconds: number) => tooManyRequests(tooManyText, retryAfterSeconds);

function runWithSeats(
  flows: FlowControl,
  { schema }: Classified,
  ticket: Ticket,
  request: RequestContext,
  next: Next<RequestContext>,
): Promise<void> | void {
  let hasSeats = true;
  const release = () => {
    if (hasSeats) flows.finish(schema, ticket);
    hasSeats = false;
  };
  if (request.info.verb === 'watch') request.onBegun = release;
  let running: Promise<void> | void = undefined;
  try {
    running = next(request);
  } finally {
    if (!(running instanceof Promise)) release();
  }
  return running && releaseAfter(running, release);
}

// Costs less than `finally` of a promise.
async function releaseAfter(running: Promise<void>, release: () => void): Promise<void> {
  try {
    await running;
  } finally {
    release();
  }
}
