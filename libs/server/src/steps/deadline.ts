import type { ServerResponse } from 'node:http';
import { badRequest, failure, readDuration } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { FixedDelay, unsentBytes } from '@annex/http';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';

/** So much of an answer may be on its way when its request is over. */
const littleBytes = 64 * 1024;

/** How long a request may take: as long as it asks for itself, but never longer than others. */
function timeoutOf({ query }: RequestContext, longest: number): number {
  const requested = query.get('timeout') ?? '';
  if (requested === '') return longest;
  const read = readDuration(requested);
  if ('error' in read) throw badRequest(`invalid timeout specified in the request URL - ${read.error}`);
  const timeout = Number(read.nanoseconds) / 1e6;
  return timeout > 0 && (timeout < longest || longest === 0) ? timeout : longest;
}

/**
 * Ends what takes too long with 504, and cuts off who takes too long to read the answer. Streams (watches, upgrades,
 * proxied connections) have their own clocks.
 */
export const deadline = (requestTimeoutMs: number): Step => {
  const usual = new FixedDelay(requestTimeoutMs);
  const after = (ms: number, fire: () => void) =>
    ms === requestTimeoutMs ? usual.start(fire) : stopOf(setTimeout(fire, ms));
  return {
    name: 'deadline',
    run(request, next) {
      if (isStream(request)) return next(request);
      const timeout = timeoutOf(request, requestTimeoutMs);
      if (timeout === 0) return next(request);
      const { res } = request;
      const running = next(request);
      // Most requests are answered at once, and there is nothing to wait for.
      if (res.writableEnded && unsentBytes(res) < littleBytes) return running;
      return inTime(request, running ?? done, (fire) => after(timeout, fire));
    },
  };
};

const done = Promise.resolve();

/** Waits for an answer, and for its client, as long as both may take. */
function inTime(
  request: RequestContext,
  running: Promise<void>,
  after: (fire: () => void) => () => void,
): Promise<void> {
  const { req, res } = request;
  return new Promise((resolve, reject) => {
    let responded = false;
    const callOff = after(() => {
      if (responded) return res.destroy();
      // A client that still sends would be listened to for as long as it likes.
      if (!req.complete && req.httpVersionMajor === 1) res.setHeader('Connection', 'close');
      reject(failure('Timeout', 'Timeout: request did not complete within the allotted timeout', {}));
      request.abort();
    });
    const end = () => {
      responded = true;
      const unsent = unsentBytes(res);
      if (unsent < littleBytes) return callOff();
      const release = request.connection?.holdUnsent(unsent);
      afterClose(res, () => {
        callOff();
        release?.();
      });
    };
    running.then(
      () => (end(), resolve()),
      (error: Error) => (end(), reject(error)),
    );
  });
}

/** Runs when a response is closed, also where it is by now. */
function afterClose(res: ServerResponse, run: () => void): void {
  const { stream } = res as { stream?: { destroyed: boolean } };
  if ((stream ?? res).destroyed) run();
  else res.once('close', run);
}

const stopOf = (timer: NodeJS.Timeout) => () => clearTimeout(timer);
