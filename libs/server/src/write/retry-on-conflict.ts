import { conflict, objectModified } from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Thrown by `store` after a concurrent change of the object. */
export class ConcurrentChange extends Error {}

/**
 * Repeats the steps after it with the newer object after a concurrent change. A patch is merged again; an
 * update with a resourceVersion fails its precondition. Retries until the request ends, as in kube-apiserver.
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
