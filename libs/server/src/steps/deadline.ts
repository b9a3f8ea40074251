import { failure } from '@annex/machinery';
import type { Step } from '../step.ts';
import { isStream } from '../streams.ts';
import { unsentBytes } from '../unsent-bytes.ts';

/** So much of an answer may be on its way when its request is over. */
const littleBytes = 64 * 1024;

/**
 * Ends what takes too long with 504, and cuts off who takes too long to read the answer. Streams (watches, upgrades,
 * proxied connections) have their own clocks.
 */
export const deadline = (requestTimeoutMs: number): Step => ({
  name: 'deadline',
  async run(ctx, next) {
    if (requestTimeoutMs === 0 || isStream(ctx)) return next();
    let timer: NodeJS.Timeout | undefined;
    let answered = false;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (answered) return ctx.res.destroy();
        // A client that still sends would be listened to for as long as it likes.
        if (!ctx.req.complete && ctx.req.httpVersionMajor === 1) ctx.res.setHeader('Connection', 'close');
        reject(failure('Timeout', 'Timeout: request did not complete within the allotted timeout', {}));
        ctx.abort();
      }, requestTimeoutMs);
    });
    try {
      await Promise.race([next(), late]);
    } finally {
      answered = true;
      if (unsentBytes(ctx.res) < littleBytes) clearTimeout(timer);
      else ctx.res.once('close', () => clearTimeout(timer));
    }
  },
});
