import type { CelType, TypeKind } from '../typing/type.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import { isDouble, Uint, type Value } from '../values/value.ts';

/** Returns true if a value matches a parameter type. */
export type Guard = (value: Value) => boolean;

const any: Guard = () => true;

const primitives: Partial<Record<TypeKind, Guard>> = {
  any,
  bool: (value) => typeof value === 'boolean',
  double: isDouble,
  dyn: any,
  int: (value) => (typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint'),
  string: (value) => typeof value === 'string',
  typeParam: any,
  uint: (value) => value instanceof Uint,
};

/** Returns the check of a parameter type at run time. Containers are checked by their first element only. */
export function guardOf(type: CelType): Guard {
  const guard = primitives[type.kind] ?? containerGuard(type);
  return type.nullable ? (value) => value === null || guard(value) : guard;
}

function containerGuard(type: CelType): Guard {
  const [first, second] = type.parameters.map(guardOf);
  if (type.kind === 'list')
    return (value) => isList(value) && (value.length === 0 || first!(elements(value)[0]!));
  if (type.kind !== 'map') return (value) => runtimeType(value).name === type.name;
  return (value) => {
    if (!isMap(value)) return false;
    const [key] = mapKeys(value);
    return key === undefined || (first!(key) && second!(mapFind(value, key)!));
  };
}
