import { type CelType, listType, mapType, types } from '../typing/type.ts';
import { Instance, type Value } from './value.ts';

const list = listType(types.dyn);
const map = mapType(types.dyn, types.dyn);

/** Returns the type of a value, with `dyn` as the types of its elements. */
export function runtimeType(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return types.string;
    case 'boolean':
      return types.bool;
    case 'bigint':
      return types.int;
    case 'number':
      return Number.isSafeInteger(value) ? types.int : types.double;
    default:
      if (value === null) return types.null;
      if (Array.isArray(value)) return list;
      if (value instanceof Instance) return value.type;
      return value instanceof Uint8Array ? types.bytes : map;
  }
}
