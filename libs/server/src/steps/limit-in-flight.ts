import { tooManyRequests } from '@annex/machinery';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';

/** The maximum numbers of concurrent requests that read, and that change objects; 0 disables a limit. */
export interface InFlightLimits {
  reads: number;
  changes: number;
}

/** The message of requests that are refused because there are too many. */
export const tooManyText = 'Too many requests, please try again later.';

const readingVerbs = new Set(['get', 'list', 'watch']);

/** Refuses requests with 429 while too many are in progress. Streams and system:masters are not counted. */
export const limitInFlight = (limits: InFlightLimits): Step => {
  const running = { reads: 0, changes: 0 };
  return {
    name: 'limitRequests',
    run(request, next) {
      const kind = readingVerbs.has(request.info.verb) ? 'reads' : 'changes';
      if (limits[kind] === 0 || isStream(request) || request.user.groups.includes('system:masters'))
        return next(request);
      if (running[kind] >= limits[kind]) throw tooManyRequests(tooManyText, 1);
      running[kind]++;
      let responded: Promise<void> | void = undefined;
      try {
        responded = next(request);
      } finally {
        if (!(responded instanceof Promise)) running[kind]--;
      }
      return responded?.finally(() => running[kind]--);
    },
  };
};
