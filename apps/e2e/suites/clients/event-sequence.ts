import type { InformerEvent } from './informer-log.ts';

/** Returns the number of changes of an object, which the object contains. */
type Steps = (event: InformerEvent) => number;

/**
 * Returns the errors in events of one kind: revisions that do not increase, and missing or repeated changes of an object. Deletions contain
 * the last state of the object.
 */
export function flawsOf(events: readonly InformerEvent[], stepsOf: Steps): string[] {
  const flaws: string[] = [];
  const present = new Map<string, number>();
  let last = 0n;
  for (const event of events) {
    const { type, name, object } = event;
    const revision = BigInt(object.metadata.resourceVersion ?? '');
    if (revision <= last) flaws.push(`${name}: ${type} at ${revision} after ${last}`);
    last = revision;
    const before = present.get(name);
    const steps = stepsOf(event);
    const expected = { ADDED: undefined, MODIFIED: steps - 1, DELETED: steps, LOST: undefined }[type];
    if (before !== expected || type === 'LOST') {
      flaws.push(`${name}: ${type} with ${steps} steps at ${revision}, after ${before ?? 'nothing'}`);
    }
    if (type === 'DELETED' || type === 'LOST') present.delete(name);
    else present.set(name, steps);
  }
  return flaws;
}

/** Returns the objects that exist after these events, by name, in their last state. */
export function leftBy(events: readonly InformerEvent[]): Map<string, InformerEvent['object']> {
  const present = new Map<string, InformerEvent['object']>();
  for (const { type, name, object } of events) {
    if (type === 'DELETED' || type === 'LOST') present.delete(name);
    else present.set(name, object);
  }
  return present;
}

/** Removes consecutive duplicates. */
export const runsOf = (list: readonly string[]): string[] =>
  list.filter((item, index) => item !== list[index - 1]);
