import type { InformerEvent } from './informer-log.ts';

/** How many changes an object went through, by what the object says itself. */
type Steps = (event: InformerEvent) => number;

/**
 * What is wrong with events of one kind: revisions that do not rise, and objects whose events do not follow from each
 * other by one step each, from the first to the last. Deletions show the object as it last was.
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

/** What is there after these events, by name, as the informer saw it last. */
export function leftBy(events: readonly InformerEvent[]): Map<string, InformerEvent['object']> {
  const present = new Map<string, InformerEvent['object']>();
  for (const { type, name, object } of events) {
    if (type === 'DELETED' || type === 'LOST') present.delete(name);
    else present.set(name, object);
  }
  return present;
}

/** Lists without those that repeat the one before them. */
export const runsOf = (list: readonly string[]): string[] =>
  list.filter((item, index) => item !== list[index - 1]);
