import { conflict, objectModified } from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Thrown by `store` where somebody else changed the object in between. */
export class ConcurrentChange extends Error {}

/**
 * Runs the steps after it again on the newer object when somebody else was faster: a patch merges anew, an update with a
 * resourceVersion finds out by its own precondition. As in kube-apiserver this goes on for as long as the request does.
 */
export const retryOnConflict: Step<WriteContext> = {
  name: 'retryOnConflict',
  async run(write, next) {
    const { strict } = write;
    const warnings = write.request.warnings.length;
    for (;;) {
      try {
        return await next(write);
      } catch (error) {
        if (!(error instanceof ConcurrentChange)) throw error;
        if (write.request.signal.aborted) throw conflict(write.kind, write.name, objectModified);
        write.strict = strict;
        write.request.warnings.length = warnings;
      }
    }
  },
};
