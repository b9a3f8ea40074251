import { type DividedVisit, isObject, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';
import { eachPart } from './divided-parts.ts';
import type { SchemaNode } from './node.ts';

/** Removes null fields that are not nullable and have no default, in place. */
export interface NullRemoval {
  remove(value: JsonValue): void;
  /** The same for a value with many parts. */
  removeInPasses(value: JsonValue, visits: DividedVisit): Passes<void>;
}

/** Compiles the removal of null fields. `undefined` if there are none. */
export function compileNullRemoval(node: SchemaNode): NullRemoval | undefined {
  const removal = new NodeRemoval(node);
  return removal.isNeeded ? removal : undefined;
}

/** The removal of one node of the schema. */
class NodeRemoval implements NullRemoval {
  readonly isNeeded: boolean;
  readonly #node: SchemaNode;
  readonly #properties = new Map<string, NullRemoval>();
  readonly #additional: NullRemoval | undefined;
  readonly #items: NullRemoval | undefined;
  /** The declared fields whose nulls are removed. */
  readonly #dropped = new Set<string>();
  readonly #dropsAdditional: boolean;

  constructor(node: SchemaNode) {
    this.#node = node;
    for (const [name, child] of node.properties ?? []) {
      const removal = compileNullRemoval(child);
      if (removal !== undefined) this.#properties.set(name, removal);
      if (isNullDropped(child)) this.#dropped.add(name);
    }
    const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
    this.#additional = additional && compileNullRemoval(additional);
    this.#items = node.items && compileNullRemoval(node.items);
    this.#dropsAdditional = additional !== undefined && isNullDropped(additional);
    this.isNeeded =
      this.#properties.size > 0 ||
      this.#dropped.size > 0 ||
      this.#dropsAdditional ||
      this.#additional !== undefined ||
      this.#items !== undefined;
  }

  remove(value: JsonValue): void {
    if (Array.isArray(value)) {
      const items = this.#items;
      if (items !== undefined) for (const item of value) items.remove(item);
    } else if (isObject(value)) {
      for (const name in value) this.#visit(value, name);
    }
  }

  *removeInPasses(value: JsonValue, visits: DividedVisit): Passes<void> {
    if (Array.isArray(value)) {
      const items = this.#items;
      if (items === undefined) return;
      yield* eachPart(value, visits, {
        atOnce: (item) => items.remove(item),
        inPasses: (item) => items.removeInPasses(item, visits),
      });
    } else if (isObject(value)) {
      yield* eachPart(value, visits, {
        atOnce: (_part, name) => this.#visit(value, String(name)),
        inPasses: (part, name) => this.#ofMember(String(name))?.removeInPasses(part, visits) ?? nothing(),
      });
    }
  }

  #visit(object: JsonObject, name: string): void {
    // permitted: no-inherited-keys, these are its own names
    const value = object[name] as JsonValue;
    if (value !== null) this.#ofMember(name)?.remove(value);
    else if (this.#isDeclared(name) ? this.#dropped.has(name) : this.#dropsAdditional) delete object[name];
  }

  #ofMember(name: string): NullRemoval | undefined {
    return this.#isDeclared(name) ? this.#properties.get(name) : this.#additional;
  }

  #isDeclared(name: string): boolean {
    return this.#node.properties?.has(name) === true;
  }
}

function* nothing(): Passes<void> {}

/** Returns true if a null field is removed: it is not nullable and has no default. */
export const isNullDropped = (node: SchemaNode): boolean => !node.nullable && node.default === undefined;
