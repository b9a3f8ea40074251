import { fail } from '../errors.ts';
import { type CelType, listType, types } from '../typing/type.ts';
import { elementAt, elements, isList, isMap, mapFind } from '../values/container.ts';
import { equalLists, equals } from '../values/equality.ts';
import { Instance, ListValue, type Value } from '../values/value.ts';

/** The elements of a list, created on access or stored in an array. */
export interface Elements {
  readonly length: number;
  at(index: number): Value | undefined;
}

const anyList = listType(types.dyn);

/** A list with the type of a schema. */
abstract class TypedList extends ListValue {
  readonly #elements: Elements;

  constructor(elements: Elements) {
    super();
    this.#elements = elements;
  }

  override get type(): CelType {
    return anyList;
  }

  get length(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    return this.#elements.at(index) ?? null;
  }
}

/** An ordered list (`x-kubernetes-list-type: atomic`). */
export class AtomicList extends TypedList {
  equals(other: Value): boolean {
    return isList(other) ? equalLists(this, other) : fail('no such overload');
  }
}

/** An unordered list (`set`): `+` returns the union. */
export class SetList extends TypedList {
  #keys: Set<unknown> | undefined;

  equals(other: Value): boolean {
    if (!isList(other)) return fail('no such overload');
    return this.length === other.length && elements(other).every((element) => this.#has(element));
  }

  override concat(other: Value): Value {
    if (!isList(other)) return fail('no such overload');
    const united = [...elements(this)];
    const keys = new Set(united.map(keyOf));
    for (const element of elements(other)) {
      if (!keys.has(keyOf(element))) united.push(element);
      keys.add(keyOf(element));
    }
    return new SetList(united);
  }

  #has(element: Value): boolean {
    this.#keys ??= new Set(elements(this).map(keyOf));
    return this.#keys.has(keyOf(element));
  }
}

/** An unordered list whose elements are identified by keys (`map`): `+` replaces elements with the same key. */
export class MapList extends TypedList {
  readonly #keys: readonly string[];
  #byKey: Map<string, Value> | undefined;

  constructor(elements: Elements, keys: readonly string[]) {
    super(elements);
    this.#keys = keys;
  }

  equals(other: Value): boolean {
    if (!isList(other)) return fail('no such overload');
    if (this.length !== other.length) return false;
    this.#byKey ??= new Map(elements(this).map((element) => [this.#keyOf(element), element]));
    for (let i = 0; i < other.length; i++) {
      const theirs = elementAt(other, i);
      const mine = this.#byKey.get(this.#keyOf(theirs));
      if (mine === undefined || !equals(mine, theirs)) return false;
    }
    return true;
  }

  override concat(other: Value): Value {
    if (!isList(other)) return fail('no such overload');
    // Replacing an element keeps its position.
    const merged = new Map(elements(this).map((element) => [this.#keyOf(element), element]));
    for (const element of elements(other)) merged.set(this.#keyOf(element), element);
    return new MapList([...merged.values()], this.#keys);
  }

  #keyOf(element: Value): string {
    if (!isMap(element))
      return fail('unexpected data format for element of array with x-kubernetes-list-type=map');
    return this.#keys.map((key) => String(keyOf(mapFind(element, key) ?? null))).join('\0');
  }
}

/** Returns the identity of a set element: its value and type. */
function keyOf(element: Value): unknown {
  if (typeof element === 'string') return `"${element}`;
  return element instanceof Instance && 'value' in element ? element.value : element;
}
