import { codePointCount, isList, mapSize } from '../values/container.ts';
import { Optional } from '../values/optional.ts';
import { Instance, MapValue, type Value } from '../values/value.ts';

/** Returns the size used for costs: `size(value)`, or 1 for values without a size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (isList(value) || value instanceof Uint8Array) return value.length;
  if (!(value instanceof Instance) || value instanceof MapValue) return mapSize(value);
  if (value instanceof Optional) return value.present ? sizeOf(value.value) : 1;
  return value.costSize;
}
