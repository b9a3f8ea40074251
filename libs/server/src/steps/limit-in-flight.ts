import { tooManyRequests } from '@annex/machinery';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';

/** Refuses requests with 429 while too many are in progress. Streams and system:masters are not counted. */
export const limitInFlight = (max: number): Step => {
  let running = 0;
  return {
    name: 'limitInFlight',
    run(request, next) {
      if (max === 0 || isStream(request) || request.user.groups.includes('system:masters'))
        return next(request);
      if (running >= max) throw tooManyRequests('Too many requests, please try again later.', 1);
      running++;
      let responded: Promise<void> | void = undefined;
      try {
        responded = next(request);
      } finally {
        if (!(responded instanceof Promise)) running--;
      }
      return responded?.finally(() => running--);
    },
  };
};
