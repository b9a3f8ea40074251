import { isReason } from '@annex/machinery';
import type { Logger } from '@annex/runtime';

/** Returns the callback `failed` of an informer of this path: broken connections recover on a retry, missing permissions do not. */
export const logWatchFailures =
  (log: Logger, path: string) =>
  (error: unknown): void => {
    const refused = isReason(error, 'Unauthorized') || isReason(error, 'Forbidden');
    log[refused ? 'warn' : 'debug']('a watch failed and is retried', { path, error: String(error) });
  };
