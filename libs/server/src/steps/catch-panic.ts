import { StatusError, internalError, serviceUnavailable } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import { StoreError } from '@annex/storage';
import { AbortedHandler } from '@annex/http';
import type { RequestContext } from '@annex/kinds';
import { sendStatus } from '../respond.ts';
import type { Step } from '../step.ts';

/**
 * Answers every error: a StatusError as it is, anything else as 500 with a log line that has the stack. A stored object that is damaged is
 * named in the response, because it must be deleted or restored by hand.
 */
export const catchPanic = (log: Logger): Step => ({
  name: 'catchPanic',
  run(ctx, next) {
    try {
      return next(ctx)?.catch((error: unknown) => answerError(log, ctx, error));
    } catch (error) {
      return answerError(log, ctx, error);
    }
  },
});

async function answerError(log: Logger, ctx: RequestContext, error: unknown): Promise<void> {
  if (ctx.res.destroyed) return;
  if (error instanceof StatusError) return sendStatus(ctx, error);
  if (error instanceof AbortedHandler) {
    log.warn('request aborted', { auditId: ctx.auditId, why: error.message });
    ctx.res.destroy(error);
    return;
  }
  // What a request needs may be closed before it ends.
  if (ctx.stopping.aborted) return sendStatus(ctx, serviceUnavailable('the server is stopping'));
  log.error('request failed', { auditId: ctx.auditId, error });
  const isDamaged = error instanceof StoreError && error.code === 'damaged';
  const why = isDamaged
    ? error.message
    : 'an unexpected error; the log of the server has it under the audit id';
  await sendStatus(ctx, internalError(why));
}
