import { StatusError, internalError, serviceUnavailable } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import { StoreError } from '@annex/storage';
import { AbortedHandler } from '@annex/http';
import type { RequestContext } from '@annex/kinds';
import { storeTimedOut, storeUnavailable } from '../store-status.ts';
import { sendStatus } from '../respond.ts';
import type { Step } from '../step.ts';

/**
 * Sends every error to the client: a StatusError unchanged, 503 if the store cannot be reached, 504 if it does not respond in time, any other error as 500 with a log line that
 * contains the stack. The response names a damaged stored object, because an operator must delete or restore
 * it.
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
  // Resources that the request needs may be closed before it ends.
  if (request.stopping.aborted) return sendStatus(request, serviceUnavailable('the server is stopping'));
  if (error instanceof StoreError && error.code === 'unavailable') {
    log.warn('the store is unavailable', { auditId: request.auditId, why: error.message });
    return sendStatus(request, storeUnavailable());
  }
  if (error instanceof StoreError && error.code === 'timedOut') {
    log.warn('the store did not respond in time', { auditId: request.auditId, why: error.message });
    return sendStatus(request, storeTimedOut(!isRead(request)));
  }
  log.error('request failed', { auditId: request.auditId, error });
  const isDamaged = error instanceof StoreError && error.code === 'damaged';
  const why = isDamaged
    ? error.message
    : 'an unexpected error; the server log contains it with this audit ID';
  await sendStatus(request, internalError(why));
}

const isRead = ({ req: { method } }: RequestContext): boolean => method === 'GET' || method === 'HEAD';
