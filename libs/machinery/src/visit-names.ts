import { type DividedVisit, isManyParts, type Passes, sortInPasses } from './passes.ts';
import { isKnownWide, namesInPasses, namesOf } from './wide-objects.ts';

/**
 * Visits the names of an object, sorted by code units if `sorted`: at once if they are few and this pass has a share left, or else when the
 * work that waits is finished.
 */
export function visitNames(
  object: object,
  visits: DividedVisit,
  visit: (name: string) => void,
  sorted = false,
): void {
  const names = isKnownWide(object) || visits.exceeds() ? undefined : namesOf(object);
  if (names === undefined || isManyParts(names.length))
    return visits.postpone(visitLater(object, visits, visit, sorted));
  visits.count(names.length);
  for (const name of sorted ? names.sort() : names) visit(name);
}

function* visitLater(
  object: object,
  visits: DividedVisit,
  visit: (name: string) => void,
  sorted: boolean,
): Passes<void> {
  const names = yield* namesInPasses(object);
  yield* visits.each(sorted ? yield* sortInPasses(names, (a, b) => (a < b ? -1 : 1)) : names, visit);
}
