import { getOwn, isObject } from './json-object.ts';

/** Managed fields are nested at most twice as deeply as their object; deeper ones are read in another way. */
export const maxManagedFieldsDepth = 200;

/**
 * Counts the keys of an object's managed fields that have a quote, such as `k:{"name":"a"}` and `v:"a"`. NaN if one
 * of them has a backslash, or if the fields are nested more deeply than 200 levels.
 */
export function countListKeys(object: unknown): number {
  const entries = memberOf(memberOf(object, 'metadata'), 'managedFields');
  if (!Array.isArray(entries)) return 0;
  let count = 0;
  for (const entry of entries) count += countIn(memberOf(entry, 'fieldsV1'), maxManagedFieldsDepth);
  return count;
}

/** Counts the keys of a value that have a quote, as {@link countListKeys} does for managed fields. */
export const countQuotedKeys = (value: unknown): number => countIn(value, maxManagedFieldsDepth);

function countIn(fields: unknown, depth: number): number {
  if (typeof fields !== 'object' || fields === null) return 0;
  if (depth === 0) return Number.NaN;
  let count = 0;
  for (const name in fields) {
    if (name.includes('"')) count += name.includes('\\') ? Number.NaN : 1;
    count += countIn((fields as Record<string, unknown>)[name], depth - 1);
  }
  return count;
}

const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) ? getOwn(value, name) : undefined;
