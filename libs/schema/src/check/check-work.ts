/** How much work an attempt may take, where the check of one scalar is about one: a few milliseconds. */
const attemptedWork = 10_000;

/** How much work a pass does. */
const workOfPass = 1000;

/** How many fields are looked up in the time of one check. */
const lookupsOfCheck = 16;

/** What is left of the attempt that runs, in lookups. */
let left = Infinity;

/** Counts work of an attempt; returns false if it has taken too much, so that its result does not count. */
export const spend = (work: number): boolean => spendLookups(lookupsOfCheck * work);

/** The same for fields that are looked up in an object that may not have them. */
export const spendLookups = (lookups: number): boolean => (left -= lookups) >= 0;

/** Returns whether no attempt runs; otherwise gives it up, for work that has passes of its own. */
export const isUnlimited = (): boolean => spend(Number.MAX_SAFE_INTEGER);

/** Returns the result of a test; `undefined` if it has taken too much work, and was given up. */
export function attempt(test: () => boolean, most = attemptedWork): boolean | undefined {
  left = lookupsOfCheck * most;
  try {
    const result = test();
    return left < 0 ? undefined : result;
  } finally {
    done += most - left / lookupsOfCheck;
    left = Infinity;
  }
}

/** The same within a pass, which has no time for more. */
export const attemptInPass = (test: () => boolean): boolean | undefined => attempt(test, workOfPass);

/** The work of this pass. All passes share it: whichever exceeds the limit pauses. */
let done = 0;

/** Counts work of a pass. */
export function work(amount: number): void {
  done += amount;
}

/** Counts more work, and returns whether the pass has done its own; then the next one begins. */
export function isPassOver(more = 0): boolean {
  work(more);
  if (done < workOfPass) return false;
  done = 0;
  return true;
}

/** How many characters of a text are searched or counted in the time of one check. */
const charactersOfCheck = 256;

/** Returns the work of the checks of one value, besides those of its members. */
export const workOf = (value: unknown): number =>
  typeof value === 'string' ? 1 + Math.floor(value.length / charactersOfCheck) : 1;
