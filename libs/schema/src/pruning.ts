import {
  DividedVisit,
  finish,
  isObject,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
} from '@annex/machinery';
import { eachPart } from './divided-parts.ts';
import type { SchemaNode } from './node.ts';
import type { RemovedFields } from './removed-fields.ts';

/** The fields of every resource, independent of its schema. */
export const typeAndMetadata: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Removes unknown fields from values of one schema. */
export interface ValuePruner {
  /** Notes the paths of removed fields. */
  prune(value: JsonValue, removed: RemovedFields): void;
  /** The same for a value with many parts. */
  pruneInPasses(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void>;
}

/** Removes unknown fields from values of a schema. The pruners of its parts are made on first use; nodes can be cyclic. */
export class Pruner implements ValuePruner {
  readonly #node: SchemaNode;
  readonly #properties = new Map<string, ValuePruner>();
  #additional: ValuePruner | undefined;
  #items: ValuePruner | undefined;

  constructor(node: SchemaNode) {
    this.#node = node;
  }

  prune(value: JsonValue, removed: RemovedFields): void {
    if (Array.isArray(value)) {
      if (this.#keepsItems) return;
      for (let i = 0; i < value.length; i++) this.#pruneItem(value[i] as JsonValue, i, removed);
    } else if (isObject(value)) {
      for (const name in value) this.#pruneMember(value, name, removed);
    }
  }

  *pruneInPasses(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void> {
    if (Array.isArray(value)) {
      if (this.#keepsItems) return;
      yield* eachPart(value, visits, {
        atOnce: (item, i) => this.#pruneItem(item, Number(i), removed),
        inPasses: (item, i) => belowInPasses(this.#ofItems(), item, `[${i}]`, { removed, visits }),
      });
    } else if (isObject(value)) {
      yield* eachPart(value, visits, {
        atOnce: (_part, name) => this.#pruneMember(value, String(name), removed),
        inPasses: (part, name) => this.#pruneLargeMember(value, String(name), part, { removed, visits }),
      });
    }
  }

  #pruneItem(item: JsonValue, i: number, removed: RemovedFields): void {
    if (typeof item !== 'object' || item === null) return;
    const before = removed.length;
    this.#ofItems().prune(item, removed);
    if (removed.length > before) removed.nest(before, `[${i}]`);
  }

  #pruneMember(object: JsonObject, name: string, removed: RemovedFields): void {
    if (this.#isKept(name)) return;
    const child = this.#ofMember(name);
    if (child === undefined) {
      this.#remove(object, name, removed);
      return;
    }
    // permitted: no-inherited-keys, these are its own names
    const value = object[name] as JsonValue;
    if (typeof value !== 'object' || value === null) return;
    const before = removed.length;
    child.prune(value, removed);
    if (removed.length > before) removed.nest(before, `.${name}`);
  }

  *#pruneLargeMember(object: JsonObject, name: string, value: JsonValue, walk: LargeWalk): Passes<void> {
    if (this.#isKept(name)) return;
    const child = this.#ofMember(name);
    if (child === undefined) this.#remove(object, name, walk.removed);
    else yield* belowInPasses(child, value, `.${name}`, walk);
  }

  #isKept(name: string): boolean {
    return this.#node.embeddedResource === true && typeAndMetadata.has(name);
  }

  #remove(object: JsonObject, name: string, removed: RemovedFields): void {
    if (this.#node.preserveUnknownFields === true) return;
    removed.note(`.${name}`);
    delete object[name];
  }

  #ofMember(name: string): ValuePruner | undefined {
    const known = this.#properties.get(name);
    if (known !== undefined) return known;
    const { properties, additionalProperties } = this.#node;
    const property = properties?.get(name);
    if (property !== undefined) {
      const made = new Pruner(property);
      this.#properties.set(name, made);
      return made;
    }
    if (additionalProperties === undefined) return undefined;
    return (this.#additional ??=
      additionalProperties === true ? ofNothing : new Pruner(additionalProperties));
  }

  get #keepsItems(): boolean {
    return this.#node.items === undefined && this.#node.preserveUnknownFields === true;
  }

  #ofItems(): ValuePruner {
    return (this.#items ??= this.#makeItems());
  }

  #makeItems(): ValuePruner {
    const { items, preserveUnknownFields } = this.#node;
    if (items === undefined) return ofNothing;
    // Within preserved lists, items of a known schema are preserved too.
    return new Pruner(preserveUnknownFields === true ? { ...items, preserveUnknownFields } : items);
  }
}

interface LargeWalk {
  removed: RemovedFields;
  visits: DividedVisit;
}

/** Prunes a value in passes, and puts its name before the removed paths. */
export function* belowInPasses(
  pruner: ValuePruner,
  value: JsonValue,
  head: string,
  { removed, visits }: LargeWalk,
): Passes<void> {
  const before = removed.length;
  yield* pruner.pruneInPasses(value, removed, visits);
  if (removed.length > before) removed.nest(before, head);
}

/** Without a schema, every field of every object is unknown. Loops, because the nesting of lists is unlimited. */
const ofNothing: ValuePruner = {
  prune: (value, removed) => finish(removeAll(value, removed, new DividedVisit())),
  pruneInPasses: removeAll,
};

function* removeAll(value: JsonValue, removed: RemovedFields, visits: DividedVisit): Passes<void> {
  const open: [value: JsonValue, path: string][] = [[value, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [current, path] = next;
    if (Array.isArray(current)) {
      yield* visits.each(current.keys(), (i) => {
        const item = current[i] as JsonValue;
        if (typeof item === 'object' && item !== null) open.push([item, `${path}[${i}]`]);
      });
    } else if (isObject(current)) {
      yield* visits.each(yield* namesInPasses(current), (name) => {
        removed.note(`${path}.${name}`);
        delete current[name];
      });
    }
  }
}

/** Converts the paths to sorted paths from the root, as kube-apiserver reports them. */
export function fieldPaths(removed: RemovedFields): string[] {
  return removed
    .paths()
    .map((path) => (path.startsWith('.') ? path.slice(1) : path))
    .sort();
}
