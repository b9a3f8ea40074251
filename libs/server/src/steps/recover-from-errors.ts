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
export const recoverFromErrors = (log: Logger): Step => ({
  name: 'recoverFromErrors',
  run(request, next) {
    try {
      return next(request)?.catch((error: unknown) => responseError(log, request, error));
    } catch (error) {
      return responseError(log, request, error);
    }
  },
});

async function responseError(log: Logger, request: RequestContext, error: unknown): Promise<void> {
  if (request.res.destroyed) return;
  if (error instanceof StatusError) return sendStatus(request, error);
  if (error instanceof AbortedHandler) {
    log.warn('request aborted', { auditId: request.auditId, why: error.message });
    request.res.destroy(error);
    return;
  }
  // What a request needs may be closed before it ends.
  if (request.stopping.aborted) return sendStatus(request, serviceUnavailable('the server is stopping'));
  log.error('request failed', { auditId: request.auditId, error });
  const isDamaged = error instanceof StoreError && error.code === 'damaged';
  const why = isDamaged
    ? error.message
    : 'an unexpected error; the log of the server has it under the audit id';
  await sendStatus(request, internalError(why));
}
