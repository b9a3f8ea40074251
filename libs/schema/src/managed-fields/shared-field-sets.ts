import type { JsonValue } from '@annex/machinery';
import type { MergeType } from '../typed-values/typed-schema.ts';
import type { FieldSet } from './field-set.ts';
import { ownedShape } from './owned-shape.ts';

/** Shapes in the cache. When it is full, it is emptied. */
export const maxOwnedShapes = 500;

const sets = new Map<string, FieldSet>();

/** The fields of a value, or those of a create, which is compared with an empty object. */
type Purpose = 'fields' | 'create';

/** A place in the cache of sets. */
export interface SharedFieldSet {
  /** Must not be changed: values of the same shape share it, with its differences and its encoded form. */
  readonly set: FieldSet | undefined;
  save(set: FieldSet): void;
}

/** Looks up the fields of a value by its shape. Most objects of a kind that one client writes differ in their values only. */
export function sharedFieldSet(purpose: Purpose, value: JsonValue, type: MergeType): SharedFieldSet {
  const shape = ownedShape(value, type);
  if (shape === undefined) return { set: undefined, save: () => undefined };
  const key = `${numberOf(type)} ${purpose} ${shape}`;
  return {
    set: sets.get(key),
    save(set) {
      if (sets.size >= maxOwnedShapes) sets.clear();
      sets.set(key, set);
    },
  };
}

const numbers = new WeakMap<MergeType, number>();
let types = 0;

function numberOf(type: MergeType): number {
  let known = numbers.get(type);
  if (known === undefined) numbers.set(type, (known = types++));
  return known;
}

type Subtraction = 'difference' | 'recursiveDifference';
type Differences = WeakMap<FieldSet, WeakMap<FieldSet, FieldSet>>;

const differences: Record<Subtraction, Differences> = {
  difference: new WeakMap(),
  recursiveDifference: new WeakMap(),
};

/** Subtracts a constant set from a shared one: the same set each time. */
export function sharedDifference(set: FieldSet, constant: FieldSet, by: Subtraction): FieldSet {
  if (constant.isEmpty) return set;
  let known = differences[by].get(set);
  if (known === undefined) differences[by].set(set, (known = new WeakMap()));
  let difference = known.get(constant);
  if (difference === undefined) known.set(constant, (difference = set[by](constant)));
  return difference;
}
