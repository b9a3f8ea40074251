import { isObject } from '@annex/machinery';
import { type Check, eachDifferent } from '../../shared/checks.ts';

/** Checks that the objects of a list have different names. */
export const differentNames: Check = eachDifferent(
  (different) => (item, at) => different(isObject(item) ? item.name : undefined, at),
);

/** Checks that the strings of a list are different. */
export const differentTexts: Check = eachDifferent((different) => different);
