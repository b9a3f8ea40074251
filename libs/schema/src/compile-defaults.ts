import {
  copyInPasses,
  deepCopy,
  DividedVisit,
  getOwn,
  hasManyVisits,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  setOwn,
  stringifyJson,
  visitedAtOnce,
} from '@annex/machinery';
import { eachPart } from './divided-parts.ts';
import { DefaultsBudget } from './generated/defaults.ts';
import type { SchemaNode } from './node.ts';

/** Sets the defaults of a schema. */
export interface Defaults {
  /** Whether a field has a default with many parts. */
  readonly hasLarge: boolean;
  set(value: JsonValue): void;
  /** The same for a value with many parts. */
  setInPasses(value: JsonValue): Passes<void>;
}

/**
 * Compiles the defaults of a schema to a walk over the value. It sets the same defaults as the function of `generateDefaults`.
 * `undefined` if there are none.
 */
export function compileDefaults(root: SchemaNode): Defaults | undefined {
  const filled = new Map<SchemaNode, Filled>();
  noteFilled(root, filled);
  if (!filled.has(root)) return undefined;
  const hasLarge = [...filled.values()].some((fields) => fields.some(({ isLarge }) => isLarge));
  return {
    hasLarge,
    set: (value) => new DefaultsWalk(filled).fill(root, value),
    setInPasses: (value) => new DefaultsWalk(filled, hasLarge).fillInPasses(root, value),
  };
}

/** The fields of a node that have defaults. */
type Filled = readonly { name: string; child: SchemaNode; isLarge: boolean }[];

/** Collects the nodes that have defaults below. */
function noteFilled(node: SchemaNode, filled: Map<SchemaNode, Filled>): boolean {
  const { properties, additionalProperties: others, items } = node;
  let found = false;
  for (const child of properties?.values() ?? []) found = hasDefaults(child, filled) || found;
  if (others !== undefined && others !== true) found = hasDefaults(others, filled) || found;
  if (items !== undefined) found = hasDefaults(items, filled) || found;
  if (found)
    filled.set(
      node,
      [...(properties ?? [])]
        .filter(([, child]) => child.default !== undefined)
        .map(([name, child]) => ({ name, child, isLarge: hasManyVisits(child.default) })),
    );
  return found;
}

const hasDefaults = (child: SchemaNode, filled: Map<SchemaNode, Filled>): boolean =>
  noteFilled(child, filled) || child.default !== undefined;

/** One walk over a value, with its own budget. It visits what the value has: a schema may have thousands of fields for each of its items. */
class DefaultsWalk {
  readonly #filled: ReadonlyMap<SchemaNode, Filled>;
  readonly #budget = new DefaultsBudget();
  readonly #visits = new DividedVisit();
  readonly #lengths = new Map<JsonValue, number>();
  /** Values with more parts are visited in passes: all that may get a large default. */
  readonly #fewParts: number;

  constructor(filled: ReadonlyMap<SchemaNode, Filled>, hasLarge = false) {
    this.#filled = filled;
    this.#fewParts = hasLarge ? -1 : visitedAtOnce;
  }

  fill(node: SchemaNode, value: JsonValue | undefined): void {
    const defaults = this.#filled.get(node);
    if (defaults === undefined) return;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) this.#fillItem(node, value, i);
    } else if (isObject(value)) {
      this.#setFields(value, defaults);
      for (const name in value) this.#fillMember(node, value, name);
    }
  }

  *fillInPasses(node: SchemaNode, value: JsonValue): Passes<void> {
    const defaults = this.#filled.get(node);
    if (defaults === undefined) return;
    if (Array.isArray(value)) {
      const { items } = node;
      if (items === undefined) return;
      const parts = {
        atOnce: (_item: JsonValue, i: string | number) => this.#fillItem(node, value, Number(i)),
        inPasses: (item: JsonValue, i: string | number) => {
          if (item === null) this.#fillItem(node, value, Number(i));
          return this.fillInPasses(items, value[Number(i)] as JsonValue);
        },
      };
      yield* eachPart(value, this.#visits, parts, this.#fewParts);
    } else if (isObject(value)) {
      yield* this.#setFieldsInPasses(value, defaults);
      const parts = {
        atOnce: (_part: JsonValue, name: string | number) => this.#fillMember(node, value, String(name)),
        inPasses: (_part: JsonValue, name: string | number) =>
          this.#fillLargeMember(node, value, String(name)),
      };
      yield* eachPart(value, this.#visits, parts, this.#fewParts);
    }
  }

  /** Sets the absent fields that have defaults. */
  #setFields(object: JsonObject, defaults: Filled): void {
    for (const { name, child } of defaults) {
      if (isMissing(getOwn(object, name), child)) setOwn(object, name, this.#copyOf(name, child.default));
    }
  }

  *#setFieldsInPasses(object: JsonObject, defaults: Filled): Passes<void> {
    for (const { name, child, isLarge } of defaults) {
      if (!isMissing(getOwn(object, name), child)) continue;
      if (isLarge) {
        this.#spend(name, child.default);
        setOwn(object, name, yield* copyInPasses(child.default as JsonValue));
        yield;
      } else {
        setOwn(object, name, this.#copyOf(name, child.default));
      }
    }
  }

  #fillMember(node: SchemaNode, object: JsonObject, name: string): void {
    const child = node.properties?.get(name) ?? node.additionalProperties;
    if (child !== undefined && child !== true) this.fill(child, this.#memberOf(node, object, name, child));
  }

  *#fillLargeMember(node: SchemaNode, object: JsonObject, name: string): Passes<void> {
    const child = node.properties?.get(name) ?? node.additionalProperties;
    if (child !== undefined && child !== true)
      yield* this.fillInPasses(child, this.#memberOf(node, object, name, child));
  }

  /** Returns a member, which is replaced if it is an additional one and null. */
  #memberOf(node: SchemaNode, object: JsonObject, name: string, child: SchemaNode): JsonValue {
    // permitted: no-inherited-keys, these are its own names
    const value = object[name] as JsonValue;
    if (value !== null || node.properties?.has(name) === true) return value;
    const replaced = this.#replaced(child, value);
    setOwn(object, name, replaced);
    return replaced;
  }

  #fillItem({ items }: SchemaNode, list: JsonValue[], i: number): void {
    if (items === undefined) return;
    list[i] = this.#replaced(items, list[i] as JsonValue);
    this.fill(items, list[i]);
  }

  /** Items and additional properties get defaults only for nulls that are not allowed. */
  #replaced(child: SchemaNode, value: JsonValue): JsonValue {
    const isReplaced = value === null && child.default !== undefined && !child.nullable;
    return isReplaced ? this.#copyOf('', child.default) : value;
  }

  #copyOf(name: string, value: JsonValue | undefined): JsonValue {
    this.#visits.count(1);
    this.#spend(name, value);
    return deepCopy(value as JsonValue);
  }

  #spend(name: string, value: JsonValue | undefined): void {
    this.#budget.left -= name.length + this.#lengthOf(value);
    if (this.#budget.left < 0) this.#budget.exceeded();
  }

  #lengthOf(value: JsonValue | undefined): number {
    if (typeof value !== 'object' || value === null) return stringifyJson(value).length;
    let length = this.#lengths.get(value);
    if (length === undefined) this.#lengths.set(value, (length = stringifyJson(value).length));
    return length;
  }
}

const isMissing = (value: JsonValue | undefined, { nullable }: SchemaNode): boolean =>
  value === undefined || (value === null && !nullable);
