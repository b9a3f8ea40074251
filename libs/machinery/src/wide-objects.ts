import { isObject } from './json-object.ts';
import type { Passes } from './passes.ts';
import { type StatusError, tooLarge } from './status.ts';

/**
 * The maximum number of members of one object: in a body, in the result of a patch, and of the fields that a manager owns at one level. kube-apiserver has no such limit. V8 lists the names of an object
 * in one call, which cannot be divided: that of 40,000 takes 6 to 10 ms, that of 50,000 10 to 14, and that of 75,000 16 to 22. An object with more hardly fits into the store, where managed
 * fields name each member again.
 */
export const maxObjectMembers = 40_000;

export const tooManyMembers = (): StatusError =>
  tooLarge(`Request entity too large: limit is ${maxObjectMembers} members of one object`);

/** Throws 413 for more members of one object. What adds members counts them: to list them would take too long. */
export function requireFewMembers(members: number): void {
  if (members > maxObjectMembers) throw tooManyMembers();
}

/** V8 sorts the names of objects with more members at each look: that of 40,000 names takes 7 ms, and 99,000 take 20 ms. */
const manyNames = 1000;

/** Objects that were found to have so many members, with the name of one of them, if it is known: they are not counted again. */
const wideObjects = new WeakMap<object, string | undefined>();

/** Returns whether an object is known to have so many members that a list of its names takes a part of a turn. */
export const isKnownWide = (object: object): boolean => wideObjects.has(object);

/** Notes the names of an object: its next look at them can have a pass of its own. */
export function noteNames(object: object, names: readonly string[]): void {
  if (names.length > manyNames) wideObjects.set(object, names[0]);
}

/** The same for an object whose names are counted only, or of which one is known. */
export function noteMembers(object: object, members: number, name?: string): void {
  if (members > manyNames && !wideObjects.has(object)) wideObjects.set(object, name);
}

/** Counts a member that is added to an object: throws 413 for too many, and notes the object once it has many. */
export function countMember(object: object, members: number, name: string): void {
  requireFewMembers(members);
  if (members === manyNames + 1) noteMembers(object, members, name);
}

/** Returns whether members beyond `limit` need not be counted: an object with many is noted first. */
export const isCounted = (members: number, limit: number): boolean => members > limit && members > manyNames;

/** Lists the names of an object, and notes them. */
export function namesOf(object: object): string[] {
  const names = Object.keys(object);
  noteNames(object, names);
  return names;
}

/** Lists the names of an object, in a pass of its own if there are many. */
export function* namesInPasses(object: object): Passes<string[]> {
  if (isKnownWide(object)) yield 'long';
  const names = namesOf(object);
  if (names.length > manyNames) yield;
  return names;
}

/** Returns whether an object has no members, without a list of its names if it is known to have many. */
export function isEmptyObject(object: object): boolean {
  const known = wideObjects.get(object);
  if (known !== undefined && Object.hasOwn(object, known)) return false;
  return namesOf(object).length === 0;
}

/** Returns whether a JSON value is an object without members. */
export const isEmptyMap = (value: unknown): boolean => isObject(value) && isEmptyObject(value);
