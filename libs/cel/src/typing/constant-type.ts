import { Double, Uint, type Value } from '../values/value.ts';
import { type CelType, types } from './type.ts';

/** Returns the type of a literal's value. */
export function constantType(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return types.bool;
    case 'string':
      return types.string;
    case 'bigint':
      return types.int;
    case 'number':
      return Number.isSafeInteger(value) ? types.int : types.double;
    default:
      if (value instanceof Double) return types.double;
      if (value instanceof Uint) return types.uint;
      return value === null ? types.null : types.bytes;
  }
}
