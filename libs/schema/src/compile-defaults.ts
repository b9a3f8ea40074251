import {
  deepCopy,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  stringifyJson,
} from '@annex/machinery';
import { DefaultsBudget, type SetDefaults } from './generated/defaults.ts';
import type { SchemaNode } from './node.ts';

/**
 * Compiles the defaults of a large schema to a walk over the value. It sets the same defaults as the function of `generateDefaults`.
 * `undefined` if there are none.
 */
export function compileDefaults(root: SchemaNode): SetDefaults | undefined {
  const filled = new Set<SchemaNode>();
  markFilled(root, filled);
  if (!filled.has(root)) return undefined;
  return (value) => new DefaultsWalk(filled).fill(root, value as JsonValue);
}

/** Collects the nodes that have defaults below. */
function markFilled(node: SchemaNode, filled: Set<SchemaNode>): boolean {
  const { properties, additionalProperties: others, items } = node;
  let found = false;
  for (const child of properties?.values() ?? []) found = hasDefaults(child, filled) || found;
  if (others !== undefined && others !== true) found = hasDefaults(others, filled) || found;
  if (items !== undefined) found = hasDefaults(items, filled) || found;
  if (found) filled.add(node);
  return found;
}

const hasDefaults = (child: SchemaNode, filled: Set<SchemaNode>): boolean =>
  markFilled(child, filled) || child.default !== undefined;

/** One walk over a value, with its own budget. */
class DefaultsWalk {
  readonly #filled: ReadonlySet<SchemaNode>;
  readonly #budget = new DefaultsBudget();

  constructor(filled: ReadonlySet<SchemaNode>) {
    this.#filled = filled;
  }

  fill(node: SchemaNode, value: JsonValue | undefined): void {
    if (!this.#filled.has(node)) return;
    if (Array.isArray(value)) this.#fillItems(node, value);
    else if (isObject(value)) this.#fillObject(node, value);
  }

  #fillItems({ items }: SchemaNode, list: JsonValue[]): void {
    if (items === undefined) return;
    for (const [i, item] of list.entries()) {
      list[i] = this.#replaced(items, item);
      this.fill(items, list[i]);
    }
  }

  #fillObject({ properties, additionalProperties: others }: SchemaNode, object: JsonObject): void {
    for (const [name, child] of properties ?? []) {
      let value = getOwn(object, name);
      if (child.default !== undefined && (value === undefined || (value === null && !child.nullable))) {
        value = this.#copyOf(name, child.default);
        setOwn(object, name, value);
      }
      this.fill(child, value);
    }
    if (others === undefined || others === true) return;
    for (const name of Object.keys(object)) {
      if (properties?.has(name)) continue;
      const value = this.#replaced(others, object[name] as JsonValue);
      setOwn(object, name, value);
      this.fill(others, value);
    }
  }

  /** Items and additional properties get defaults only for nulls that are not allowed. */
  #replaced(child: SchemaNode, value: JsonValue): JsonValue {
    const isReplaced = value === null && child.default !== undefined && !child.nullable;
    return isReplaced ? this.#copyOf('', child.default as JsonValue) : value;
  }

  #copyOf(name: string, value: JsonValue): JsonValue {
    this.#budget.left -= name.length + stringifyJson(value).length;
    if (this.#budget.left < 0) this.#budget.exceeded();
    return deepCopy(value);
  }
}
