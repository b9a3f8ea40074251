import { type JsonValue, deepEqual, isObject } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { OldItems } from './old-items.ts';

/** A value of an update with the corresponding stored value; children correspond by name, in map lists by key. */
export class Correlation {
  private readonly value: JsonValue;
  private readonly old: JsonValue;
  private readonly node: SchemaNode;
  private unchanged: boolean | undefined;
  private oldItems?: OldItems;

  constructor(value: JsonValue, old: JsonValue, node: SchemaNode) {
    this.value = value;
    this.old = old;
    this.node = node;
  }

  /** Returns the correlation of a field, undefined if the field is new or its schema is unknown. */
  field(name: string): Correlation | undefined {
    const { value, old, node } = this;
    if (!isObject(value) || !isObject(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const child = childNode(node, name);
    return child && new Correlation(value[name] as JsonValue, old[name] as JsonValue, child);
  }

  /** Returns the correlation of an item of the new list; only items of map lists correspond to old ones. */
  item(index: number): Correlation | undefined {
    const { value, old, node } = this;
    if (!Array.isArray(value) || !Array.isArray(old)) return undefined;
    if (node.listType !== 'map' || node.items === undefined) return undefined;
    const item = value[index];
    const match = item === undefined ? undefined : (this.oldItems ??= new OldItems(node, old)).find(item);
    return match === undefined ? undefined : new Correlation(item as JsonValue, match, node.items);
  }

  /** Returns true if the value is unchanged; the order of map list items is ignored. */
  isUnchanged(): boolean {
    return (this.unchanged ??= this.compare());
  }

  private compare(): boolean {
    const { value, old, node } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (node.listType !== 'map') return deepEqual(value, old);
      return value.length === old.length && value.every((_, i) => this.item(i)?.isUnchanged() ?? false);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      return names.every((name) => this.field(name)?.isUnchanged() ?? false);
    }
    return deepEqual(value, old);
  }
}

function childNode(node: SchemaNode, name: string): SchemaNode | undefined {
  const property = node.properties?.get(name);
  if (property !== undefined) return property;
  return node.additionalProperties === true ? undefined : node.additionalProperties;
}
