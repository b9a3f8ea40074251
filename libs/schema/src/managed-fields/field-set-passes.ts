import { DividedVisit, type Passes, visitedAtOnce } from '@annex/machinery';
import { FieldSet } from './field-set.ts';

// The operations of `FieldSet` for large sets. Sets below with few paths take the operation at once.

/** Returns the paths of both sets, in passes over `atOnce` paths. */
export const unionInPasses = (set: FieldSet, other: FieldSet, atOnce = visitedAtOnce): Passes<FieldSet> =>
  unionOf(set, other, new DividedVisit(atOnce));

/** Returns the paths that are in both sets, in the same way. */
export const intersectionInPasses = (
  set: FieldSet,
  other: FieldSet,
  atOnce = visitedAtOnce,
): Passes<FieldSet> => intersectionOf(set, other, new DividedVisit(atOnce));

/** Returns the paths that are not in the other set, in the same way; paths below a path of the other set remain. */
export const differenceInPasses = (
  set: FieldSet,
  other: FieldSet,
  atOnce = visitedAtOnce,
): Passes<FieldSet> => differenceOf(set, other, new DividedVisit(atOnce));

/** Subtracts the paths of a set, and stops below zero. */
function pathsLeft({ members, children }: FieldSet, paths: number): number {
  let left = paths - members.size - children.size;
  if (left < 0) return left;
  for (const child of children.values()) if ((left = pathsLeft(child, left)) < 0) break;
  return left;
}

type InPasses = (set: FieldSet, other: FieldSet, visits: DividedVisit) => Passes<FieldSet>;

/** Applies an operation to the sets below an element: at once if the first has few paths. */
function* below(
  set: FieldSet,
  other: FieldSet,
  visits: DividedVisit,
  [atOnce, inPasses]: readonly [(set: FieldSet, other: FieldSet) => FieldSet, InPasses],
): Passes<FieldSet> {
  const left = pathsLeft(set, visits.atOnce);
  if (left < 0) return yield* inPasses(set, other, visits);
  visits.count(visits.atOnce - left);
  return atOnce(set, other);
}

const unions = [(set: FieldSet, other: FieldSet) => set.union(other), unionOf] as const;
const intersections = [(set: FieldSet, other: FieldSet) => set.intersection(other), intersectionOf] as const;
const differences = [(set: FieldSet, other: FieldSet) => set.difference(other), differenceOf] as const;

function* unionOf(set: FieldSet, other: FieldSet, visits: DividedVisit): Passes<FieldSet> {
  if (other.isEmpty || other === set) return set;
  if (set.isEmpty) return other;
  const result = new FieldSet();
  for (const { members } of [set, other]) yield* visits.each(members, (element) => result.add(element));
  for (const [element, child] of set.children) {
    if (visits.exceeds()) yield* visits.next();
    const theirs = other.children.get(element);
    if (theirs === undefined) result.put(element, child);
    else if (pathsLeft(theirs, visits.atOnce) < 0) result.put(element, yield* unionOf(child, theirs, visits));
    else result.put(element, yield* below(child, theirs, visits, unions));
  }
  yield* visits.each(other.children, ([element, child]) => {
    if (!set.children.has(element)) result.put(element, child);
  });
  yield;
  if (result.isLike(set)) return set;
  return result.isLike(other) ? other : result;
}

function* intersectionOf(set: FieldSet, other: FieldSet, visits: DividedVisit): Passes<FieldSet> {
  if (other === set) return set;
  const result = new FieldSet();
  yield* visits.each(set.members, (element) => {
    if (other.members.has(element)) result.add(element);
  });
  for (const [element, child] of set.children) {
    if (visits.exceeds()) yield* visits.next();
    const theirs = other.children.get(element);
    if (theirs !== undefined) result.put(element, yield* below(child, theirs, visits, intersections));
  }
  yield;
  return result.isLike(set) ? set : result;
}

function* differenceOf(set: FieldSet, other: FieldSet, visits: DividedVisit): Passes<FieldSet> {
  if (other.isEmpty) return set;
  if (other === set) return new FieldSet();
  const result = new FieldSet();
  yield* visits.each(set.members, (element) => {
    if (!other.members.has(element)) result.add(element);
  });
  for (const [element, child] of set.children) {
    if (visits.exceeds()) yield* visits.next();
    const theirs = other.children.get(element);
    result.put(element, theirs === undefined ? child : yield* below(child, theirs, visits, differences));
  }
  yield;
  return result.isLike(set) ? set : result;
}
