import type { RequestContext } from '@annex/kinds';
import { failure, type Pause } from '@annex/machinery';
import { pause } from './large-objects.ts';

/** A request whose client may leave, and whose deadline may pass. */
type Waiting = Pick<RequestContext, 'signal'>;

/**
 * Throws a Timeout if nobody waits for the response any more, because the client is gone or the deadline has passed: work without a limit of
 * its own ends then, and nothing is stored.
 */
export function refuseAbandoned({ signal }: Waiting): void {
  if (signal.aborted) throw failure('Timeout', 'Timeout: nobody waits for the response any more', {});
}

/** Returns {@link pause} for the passes of one request, which end if nobody waits for it any more. */
export const pauseFor =
  (request: Waiting): Pause =>
  (isLong) =>
    pause(isLong)?.then(() => refuseAbandoned(request));
