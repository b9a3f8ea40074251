import type { Passes } from '@annex/machinery';
import type { Value } from '../values/value.ts';

/** The work of a call that may be longer than a pass. Like `Pause`, it does not extend `Error`. */
export class LongCall {
  readonly work: Passes<Value>;

  constructor(work: Passes<Value>) {
    this.work = work;
  }
}

/** Ends a call whose result needs this work: the evaluation does it, and can pause before its end. The call needs a declared cost. */
export function workInPasses(work: Passes<Value>): never {
  // oxlint-disable-next-line typescript/only-throw-error
  throw new LongCall(work);
}
