import type { Passes } from '@annex/machinery';
import type { Value } from '../values/value.ts';

/** The work of a call that may be longer than a pass. */
export class LongCall extends Error {
  readonly work: Passes<Value>;

  constructor(work: Passes<Value>) {
    super('the work of a call is divided into passes');
    this.work = work;
  }
}

/** Ends a call whose result needs this work: the evaluation does it, and can pause before its end. The call needs a declared cost. */
export function workInPasses(work: Passes<Value>): never {
  throw new LongCall(work);
}
