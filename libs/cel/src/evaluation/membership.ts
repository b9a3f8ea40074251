import { elements } from '../values/container.ts';
import { EntryMap, isKey } from '../values/map.ts';
import { Double, isDouble, type ListValue, type Value } from '../values/value.ts';
import type { Code } from './frame.ts';
import { constantStep, type Step } from './step.ts';

/** Compiles `value in [constants]` to a set lookup at the cost of the value; undefined if a constant cannot be in a set. */
export function membership(value: Code, list: readonly Value[] | ListValue): Step | undefined {
  if (list.length === 0) return constantStep(false);
  const set = new EntryMap();
  for (const element of elements(list)) {
    if (!isKey(element) && !isDouble(element)) return undefined;
    set.insert(element, true);
  }
  return {
    code: (frame) => {
      const sought = value(frame);
      return !isNaN(sought) && set.find(sought) !== undefined;
    },
  };
}

/** NaN equals no value, so that no list contains it. */
function isNaN(value: Value): boolean {
  return Number.isNaN(value instanceof Double ? value.value : value);
}
