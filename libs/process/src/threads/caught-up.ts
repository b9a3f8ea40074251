import { setImmediate } from 'node:timers/promises';
import type { Authenticator } from '@annex/auth';
import type { Feed, Store } from '@annex/storage';

/**
 * Makes each request wait until its thread has received the writes that other threads acknowledged: rights, policies and served kinds are
 * then those of one server. A store that does not know its revision without a call is not waited for.
 */
export const caughtUp = (
  authenticator: Authenticator,
  { feed, store }: { feed: Feed; store: Store },
): Authenticator => ({
  name: authenticator.name,
  authenticate(credentials) {
    const { revision = 0 } = store;
    if (revision <= feed.revision) return authenticator.authenticate(credentials);
    // Requests do not fail here when the store is not reached: what reads it reports the error.
    const reached = feed.reached(revision).catch(() => undefined);
    // What follows the store has a turn of the event loop to do so, as it has during the round trip of a client of one thread.
    return reached.then(() => setImmediate()).then(() => authenticator.authenticate(credentials));
  },
});
