import { fieldErrors } from '@annex/machinery';
import { type Check, each } from './checks.ts';

/** Checks each item of a list; a list that is too long has no other errors. */
export const limited =
  (most: number, check: Check): Check =>
  (value, at) => {
    const items: unknown[] = Array.isArray(value) ? value.map((item: unknown) => item ?? {}) : [];
    return items.length > most ? [fieldErrors.tooMany(at, items.length, most)] : each(check)(items, at);
  };
