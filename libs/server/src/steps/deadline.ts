import { failure } from '@annex/machinery';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';

/** Ends what takes too long with 504. Streams (watches, upgrades, proxied connections) have their own clocks. */
export const deadline = (requestTimeoutMs: number): Step => ({
  name: 'deadline',
  async run(ctx, next) {
    if (requestTimeoutMs === 0 || isStream(ctx)) return next();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // A client that still sends would be listened to for as long as it likes.
        if (!ctx.req.complete && ctx.req.httpVersionMajor === 1) ctx.res.setHeader('Connection', 'close');
        reject(failure('Timeout', 'Timeout: request did not complete within the allotted timeout', {}));
        ctx.abort();
      }, requestTimeoutMs);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      clearTimeout(timer);
    }
  },
});
