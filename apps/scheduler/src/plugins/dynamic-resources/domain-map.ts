import { type CelType, MapValue, mapType, types, type Value } from '@annex/cel';

const type = mapType(types.string, types.dyn);
const empty: Value = {};

/** Attributes or capacities of a device by domain. A domain that the device lacks is an empty map, but is not in the map. */
export class DomainMap extends MapValue {
  readonly #domains: ReadonlyMap<string, Value>;

  constructor(domains: ReadonlyMap<string, Value>) {
    super();
    this.#domains = domains;
  }

  override get type(): CelType {
    return type;
  }

  get size(): number {
    return this.#domains.size;
  }

  find(key: Value): Value {
    return (typeof key === 'string' ? this.#domains.get(key) : undefined) ?? empty;
  }

  override has(key: Value): boolean {
    return typeof key === 'string' && this.#domains.has(key);
  }

  keys(): Iterable<Value> {
    return this.#domains.keys();
  }

  equals(other: Value): boolean {
    return other === this;
  }
}
