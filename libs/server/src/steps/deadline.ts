import { badRequest, failure, readDuration } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { FixedDelay, type HttpResponse } from '@annex/http';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';

/** Bytes that may still be buffered when the deadline timer stops. */
const fewUnsentBytes = 64 * 1024;

/** Returns the timeout of a request: its parameter `timeout`, but at most the maximum of the server. */
export function timeoutOf({ query }: RequestContext, longest: number): number {
  const requested = query.get('timeout') ?? '';
  if (requested === '') return longest;
  const read = readDuration(requested);
  if ('error' in read) throw badRequest(`invalid timeout specified in the request URL - ${read.error}`);
  const timeout = Number(read.nanoseconds) / 1e6;
  return timeout > 0 && (timeout < longest || longest === 0) ? timeout : longest;
}

/**
 * Ends requests that take too long with 504, and disconnects clients that read the response too slowly.
 * Streams (watches, upgrades, proxied connections) have separate timeouts.
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
      // Most requests are served synchronously and need no timer.
      if (res.writableEnded && res.writableLength < fewUnsentBytes) return running;
      return limitTime(request, running ?? done, (fire) => after(timeout, fire));
    },
  };
};

const done = Promise.resolve();

/** Limits the time of the response and of its transmission. */
function limitTime(
  request: RequestContext,
  running: Promise<void>,
  after: (fire: () => void) => () => void,
): Promise<void> {
  const { req, res } = request;
  return new Promise((resolve, reject) => {
    let responded = false;
    const callOff = after(() => {
      if (responded) return res.destroy();
      // Without this header, a client that is still sending would keep the connection open.
      if (!req.complete && req.httpVersionMajor === 1) res.setHeader('Connection', 'close');
      reject(failure('Timeout', 'Timeout: request did not complete within the allotted timeout', {}));
      request.abort();
    });
    const end = () => {
      responded = true;
      const unsent = res.writableLength;
      if (unsent < fewUnsentBytes) return callOff();
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

/** Calls the function when a response is closed, immediately if it is closed already. */
function afterClose(res: HttpResponse, run: () => void): void {
  if (res.destroyed) run();
  else res.once('close', run);
}

const stopOf = (timer: NodeJS.Timeout) => () => clearTimeout(timer);
