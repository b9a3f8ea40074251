import { fieldErrors, isObject } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

/** Checks that the items of a list have different keys. */
export const different =
  (keyOf: (item: unknown) => unknown): Check =>
  (value, at) => {
    const seen = new Set<unknown>();
    return (Array.isArray(value) ? value : []).flatMap((item: unknown, index) => {
      const key = keyOf(item);
      if (seen.has(key)) return [fieldErrors.duplicate(at.index(index), key)];
      seen.add(key);
      return [];
    });
  };

export const nameOf = (item: unknown): unknown => (isObject(item) ? (item.name ?? '') : '');
