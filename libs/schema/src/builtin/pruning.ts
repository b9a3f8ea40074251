import {
  type DividedVisit,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  setOwn,
} from '@annex/machinery';
import { eachPart } from '../divided-parts.ts';
import { type Normalize, normalFormOf } from '../go-decoding/go-normal-form.ts';
import type { SchemaNode } from '../node.ts';
import { belowInPasses, type ValuePruner } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';

/**
 * Compiles the pruning of a Go type: it removes unknown fields and fields that are null, and converts quantities and times to the form in
 * which Go encodes them. The pruners of the types below are made on first use; types can be cyclic.
 */
export function compileTypePruner(root: SchemaNode): ValuePruner {
  const made = new Map<SchemaNode, ValuePruner>();
  const ofNode = (node: SchemaNode): ValuePruner => {
    const known = made.get(node);
    if (known !== undefined) return known;
    const pruner = makePruner(node, ofNode);
    made.set(node, pruner);
    return pruner;
  };
  return ofNode(root);
}

type PrunerOf = (node: SchemaNode) => ValuePruner;

function makePruner(node: SchemaNode, ofNode: PrunerOf): ValuePruner {
  if (node.decodesAs !== undefined) return new SilentPruner(node.decodesAs, ofNode);
  const { properties, additionalProperties, items } = node;
  if (properties !== undefined) return new StructPruner(properties, ofNode);
  if (additionalProperties !== undefined && additionalProperties !== true) {
    return isKeptAsIs(additionalProperties) ? ofScalars : new MapPruner(additionalProperties, ofNode);
  }
  return items === undefined || isKeptAsIs(items) ? ofScalars : new ListPruner(items, ofNode);
}

/** Returns whether pruning changes no value of a node: large maps of texts need not be visited. */
const isKeptAsIs = (node: SchemaNode): boolean =>
  node.decodesAs === undefined &&
  node.properties === undefined &&
  node.items === undefined &&
  (node.additionalProperties ?? true) === true &&
  normalFormOf(node) === undefined;

const ofScalars: ValuePruner = {
  prune: () => undefined,
  *pruneInPasses() {
    // Nothing is removed.
  },
};

/** The values of one field, or of all members or items. */
class Child {
  readonly normalize: Normalize | undefined;
  readonly #node: SchemaNode;
  readonly #ofNode: PrunerOf;

  constructor(node: SchemaNode, ofNode: PrunerOf) {
    this.normalize = normalFormOf(node);
    this.#node = node;
    this.#ofNode = ofNode;
  }

  get pruner(): ValuePruner {
    return this.#ofNode(this.#node);
  }

  /** Prunes a value and puts its name before the removed paths. */
  prune(value: JsonValue, head: string, removed: RemovedFields): void {
    if (typeof value !== 'object' || value === null) return;
    const before = removed.length;
    this.pruner.prune(value, removed);
    if (removed.length > before) removed.nest(before, head);
  }
}

/** The fields of a struct. */
class StructPruner implements ValuePruner {
  readonly #fields: ReadonlyMap<string, Child>;

  constructor(properties: ReadonlyMap<string, SchemaNode>, ofNode: PrunerOf) {
    this.#fields = new Map([...properties].map(([name, node]) => [name, new Child(node, ofNode)]));
  }

  prune(value: JsonValue, removed: RemovedFields): void {
    if (!isObject(value)) return;
    for (const name in value) this.#field(value, name, removed);
  }

  *pruneInPasses(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void> {
    if (!isObject(value)) return;
    yield* eachPart(value, visits, {
      atOnce: (_part, name) => this.#field(value, String(name), removed),
      inPasses: (part, name) => this.#largeField(value, String(name), part, removed, visits),
    });
  }

  #field(struct: JsonObject, name: string, removed: RemovedFields): void {
    const field = this.#fields.get(name);
    if (field === undefined) return remove(struct, name, removed);
    // permitted: no-inherited-keys, these are its own names
    const value = struct[name] as JsonValue;
    if (value === null) delete struct[name];
    else if (field.normalize !== undefined) setOwn(struct, name, field.normalize(value));
    else field.prune(value, `.${name}`, removed);
  }

  *#largeField(
    struct: JsonObject,
    name: string,
    value: JsonValue,
    removed: RemovedFields,
    visits: DividedVisit,
  ): Passes<void> {
    const field = this.#fields.get(name);
    if (field === undefined) remove(struct, name, removed);
    else if (field.normalize !== undefined) setOwn(struct, name, field.normalize(value));
    else yield* belowInPasses(field.pruner, value, `.${name}`, { removed, visits });
  }
}

function remove(struct: JsonObject, name: string, removed: RemovedFields): void {
  removed.note(`.${name}`);
  delete struct[name];
}

/** The members of a map. */
class MapPruner implements ValuePruner {
  readonly #member: Child;

  constructor(node: SchemaNode, ofNode: PrunerOf) {
    this.#member = new Child(node, ofNode);
  }

  prune(value: JsonValue, removed: RemovedFields): void {
    if (!isObject(value)) return;
    for (const name in value) this.#prune(value, name, removed);
  }

  *pruneInPasses(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void> {
    if (!isObject(value)) return;
    yield* eachPart(value, visits, {
      atOnce: (_part, name) => this.#prune(value, String(name), removed),
      inPasses: (part, name) => belowInPasses(this.#member.pruner, part, `.${name}`, { removed, visits }),
    });
  }

  #prune(map: JsonObject, name: string, removed: RemovedFields): void {
    const { normalize } = this.#member;
    // permitted: no-inherited-keys, these are its own names
    const value = map[name] as JsonValue;
    if (normalize === undefined) this.#member.prune(value, `.${name}`, removed);
    else setOwn(map, name, normalize(value));
  }
}

/** The items of a list. */
class ListPruner implements ValuePruner {
  readonly #item: Child;

  constructor(node: SchemaNode, ofNode: PrunerOf) {
    this.#item = new Child(node, ofNode);
  }

  prune(value: JsonValue, removed: RemovedFields): void {
    if (!Array.isArray(value)) return;
    for (let i = 0; i < value.length; i++) this.#prune(value, i, removed);
  }

  *pruneInPasses(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void> {
    if (!Array.isArray(value)) return;
    yield* eachPart(value, visits, {
      atOnce: (_item, i) => this.#prune(value, Number(i), removed),
      inPasses: (item, i) => belowInPasses(this.#item.pruner, item, `[${i}]`, { removed, visits }),
    });
  }

  #prune(list: JsonValue[], i: number, removed: RemovedFields): void {
    const { normalize } = this.#item;
    const item = list[i] as JsonValue;
    if (normalize === undefined) this.#item.prune(item, `[${i}]`, removed);
    else list[i] = normalize(item);
  }
}

/** A value that decodes as one or several others; Go does not report what it removes there. */
class SilentPruner implements ValuePruner {
  readonly #node: SchemaNode;
  readonly #ofNode: PrunerOf;

  constructor(node: SchemaNode, ofNode: PrunerOf) {
    this.#node = node;
    this.#ofNode = ofNode;
  }

  prune(value: JsonValue): void {
    for (const item of Array.isArray(value) ? value : [value])
      this.#ofNode(this.#node).prune(item, new RemovedFields());
  }

  *pruneInPasses(value: JsonValue, _removed: RemovedFields, visits: DividedVisit): Passes<void> {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (visits.exceeds()) yield* visits.next();
      yield* this.#ofNode(this.#node).pruneInPasses(item, new RemovedFields(), visits);
    }
  }
}
