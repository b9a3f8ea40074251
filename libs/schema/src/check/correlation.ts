import { type JsonValue, deepEqualInPasses, isObject, namesInPasses, type Passes } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { isPassOver } from './check-work.ts';
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
    const { value, node } = this;
    const item = Array.isArray(value) ? value[index] : undefined;
    const match = item === undefined ? undefined : this.#oldItems?.find(item);
    return match === undefined || node.items === undefined
      ? undefined
      : new Correlation(item as JsonValue, match, node.items);
  }

  /** Prepares the old items of a long list in passes; otherwise the first item of the list does. */
  *prepareItems(): Passes<void> {
    yield* this.#oldItems?.prepare() ?? [];
  }

  get #oldItems(): OldItems | undefined {
    const { old, node } = this;
    if (!Array.isArray(old) || node.listType !== 'map' || node.items === undefined) return undefined;
    return (this.oldItems ??= new OldItems(node, old));
  }

  /** Returns true if the value is unchanged; the order of map list items is ignored. */
  *isUnchanged(): Passes<boolean> {
    return (this.unchanged ??= yield* this.compare());
  }

  private *compare(): Passes<boolean> {
    const { value, old, node } = this;
    if (Array.isArray(value) && Array.isArray(old)) {
      if (node.listType !== 'map') return yield* deepEqualInPasses(value, old);
      return value.length === old.length && (yield* this.haveEqualItems(value.length));
    }
    if (!isObject(value) || !isObject(old)) return yield* deepEqualInPasses(value, old);
    const names = yield* namesInPasses(value);
    if (names.length !== (yield* namesInPasses(old)).length) return false;
    for (const name of names) {
      if (isPassOver(1)) yield;
      if (!(yield* isUnchanged(this.field(name)))) return false;
    }
    return true;
  }

  private *haveEqualItems(count: number): Passes<boolean> {
    yield* this.prepareItems();
    for (let i = 0; i < count; i++) {
      if (isPassOver(1)) yield;
      if (!(yield* isUnchanged(this.item(i)))) return false;
    }
    return true;
  }
}

function* isUnchanged(child: Correlation | undefined): Passes<boolean> {
  return child !== undefined && (yield* child.isUnchanged());
}

function childNode(node: SchemaNode, name: string): SchemaNode | undefined {
  const property = node.properties?.get(name);
  if (property !== undefined) return property;
  return node.additionalProperties === true ? undefined : node.additionalProperties;
}
