import { type FieldError, maxFieldErrors, maxFieldErrorsLength } from './field.ts';
import { DividedVisit, finish, type Passes } from './passes.ts';
import { isKnownWide, namesInPasses } from './wide-objects.ts';

// A check is a function that returns the errors of a value. The checks of an object with very many items would hold the event loop for tens of
// milliseconds. Within `postponeErrors`, those of the items beyond the share of a pass are made later: among the errors, one that is none stands at
// their place until `completeErrors` replaces it. So checks are written once, and without passes. A check that looks at the errors of another one, instead of
// only returning them, needs `errorsAtOnce`.

/** Counts the items that were checked in this pass; undefined where all items are checked at once. */
let visit: DividedVisit | undefined;

function within<T>(other: DividedVisit | undefined, check: () => T): T {
  const before = visit;
  visit = other;
  try {
    return check();
  } finally {
    visit = before;
  }
}

/** Stands for the errors of items that are not checked yet, at their place among other errors. */
class PostponedErrors implements FieldError {
  readonly type = 'InternalError';
  readonly field = '';
  readonly detail = '';
  readonly #passes: Passes<FieldError[]>;
  #errors: FieldError[] | undefined;

  constructor(passes: Passes<FieldError[]>) {
    this.#passes = passes;
  }

  /** Checks the items, once: the same errors can be reported twice. */
  *complete(): Passes<FieldError[]> {
    return (this.#errors ??= yield* this.#passes);
  }
}

/** Runs a check whose lists are checked only as far as the share of a pass. Within another such check, the two have one share. */
export const postponeErrors = <T>(check: () => T, atOnce?: number): T =>
  visit === undefined ? within(new DividedVisit(atOnce), check) : check();

/** Returns the errors that passes find. Within `postponeErrors`, those that are not found in the first pass are postponed. */
export function errorsOfPasses(passes: Passes<FieldError[]>): FieldError[] {
  if (visit === undefined) return finish(passes);
  const { done, value } = passes.next();
  return done === true ? value : [new PostponedErrors(passes)];
}

/** Returns the errors of a check with nothing postponed, so that they can be counted. */
export const errorsAtOnce = (check: () => FieldError[]): FieldError[] => within(undefined, check);

/** Calls `note` with all errors of a check, when they are known, and returns the errors. */
export function noteErrors(found: FieldError[], note: (errors: readonly FieldError[]) => void): FieldError[] {
  if (found.some(isPostponed)) return [new PostponedErrors(completeAndNote(found, note))];
  note(found);
  return found;
}

function* completeAndNote(
  found: FieldError[],
  note: (errors: readonly FieldError[]) => void,
): Passes<FieldError[]> {
  const errors = yield* completeErrors(found);
  note(errors);
  return errors;
}

const isPostponed = (error: FieldError): error is PostponedErrors => error instanceof PostponedErrors;

/** Makes the checks that were postponed. The errors are those of the checks at once, in their order. */
export function* completeErrors(found: FieldError[]): Passes<FieldError[]> {
  if (!found.some(isPostponed)) return found;
  const collected = new CollectedErrors();
  for (const error of found) {
    if (collected.add(isPostponed(error) ? yield* error.complete() : [error])) break;
  }
  return collected.errors;
}

/** Runs a check in passes over the items of its lists. */
export function* errorsInPasses(check: () => FieldError[]): Passes<FieldError[]> {
  return yield* completeErrors(postponeErrors(check));
}

type CheckItem<T> = (item: T, index: number) => FieldError[];

/**
 * Collects the errors of each item, and stops when there are more than the report has: at the maximum number,
 * or one error after the maximum length.
 */
export function errorsOfEach<T>(items: readonly T[], check: CheckItem<T>): FieldError[] {
  const collected = new CollectedErrors();
  for (let index = 0; index < items.length; index++) {
    if (visit?.exceeds() === true) {
      return [...collected.errors, new PostponedErrors(errorsFrom(index, items, check, collected, visit))];
    }
    if (collected.add(check(items[index] as T, index))) break;
  }
  return collected.errors;
}

/** The same for the members of an object. The names of one that is known to have many are listed in a pass of their own. */
export function errorsOfMembers<T>(
  object: Record<string, T>,
  check: (name: string, value: T) => FieldError[],
): FieldError[] {
  // permitted: no-inherited-keys, these are its own names
  const checkMember = (name: string) => check(name, object[name] as T);
  return isKnownWide(object)
    ? errorsOfPasses(errorsOfNames(object, checkMember))
    : errorsOfEach(Object.keys(object), checkMember);
}

function* errorsOfNames(object: object, check: CheckItem<string>): Passes<FieldError[]> {
  const names = yield* namesInPasses(object);
  return yield* errorsInPasses(() => errorsOfEach(names, check));
}

/** Checks the items from an index on, and returns their errors. */
function* errorsFrom<T>(
  first: number,
  items: readonly T[],
  check: CheckItem<T>,
  collected: CollectedErrors,
  own: DividedVisit,
): Passes<FieldError[]> {
  const known = collected.errors.length;
  for (let index = first; index < items.length; index++) {
    if (own.exceeds()) yield* own.next();
    const found = within(own, () => check(items[index] as T, index));
    if (collected.add(yield* completeErrors(found))) break;
  }
  return collected.errors.slice(known);
}

class CollectedErrors {
  readonly errors: FieldError[] = [];
  #length = 0;

  /** Adds the errors of an item. Returns whether there are enough. */
  add(found: readonly FieldError[]): boolean {
    const isFull = this.#length > maxFieldErrorsLength;
    for (const error of found) {
      this.errors.push(error);
      this.#length += error.detail.length + (typeof error.badValue === 'string' ? error.badValue.length : 0);
    }
    return this.errors.length > maxFieldErrors || (isFull && found.length > 0);
  }
}
