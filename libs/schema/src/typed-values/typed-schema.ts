import type { JsonValue } from '@annex/machinery';
import { fieldElement, type PathElement } from '../managed-fields/field-set-element.ts';
import type { SchemaNode } from '../node.ts';
import { objectMetaNode } from './typed-object-meta.ts';

/** The allowed forms of a value and how they merge, as in the schema of structured-merge-diff. At least one form is present. */
export interface MergeType {
  scalar?: 'untyped' | 'numeric' | 'string' | 'boolean';
  list?: MergeList;
  map?: MergeMap;
}

/** How a list merges: as a leaf (atomic), as a set, or by keys. */
export interface MergeList {
  atomic: boolean;
  /** The keys of an associative list; empty for a set. */
  keys: readonly string[];
  element: MergeType;
}

/** How a map merges: as a leaf (atomic), or by fields. */
export interface MergeMap {
  atomic: boolean;
  fields: Map<string, MergeField>;
  /** The type of undeclared fields; without it they are errors. */
  element?: MergeType;
}

/** A declared field of a map. */
export interface MergeField {
  id: PathElement;
  /** The name with its length before it, so that any text may follow. */
  counted: string;
  type: MergeType;
  default?: JsonValue;
}

/** Any value; each list and map is one leaf. */
const untyped: MergeType = { scalar: 'untyped' };
untyped.list = { atomic: true, keys: [], element: untyped };
untyped.map = { atomic: true, fields: new Map(), element: untyped };

/** Any value; each list is one leaf, and maps merge by key. */
const deduced: MergeType = { scalar: 'untyped', list: { atomic: true, keys: [], element: untyped } };
deduced.map = { atomic: false, fields: new Map(), element: deduced };

/** Returns true for values without a schema. */
export const isDeduced = (map: MergeMap): boolean => map.fields.size === 0 && map.element === deduced;

type Compiled = WeakMap<SchemaNode, MergeType>;
const plain: Compiled = new WeakMap();
const preserving: Compiled = new WeakMap();
const roots: Compiled = new WeakMap();

/** Returns the merge type of an object, metadata included; cached by schema. */
export function objectMergeType(root: SchemaNode): MergeType {
  let type = roots.get(root);
  if (type === undefined) {
    type = compile(withObjectMeta(root), false);
    roots.set(root, type);
  }
  return type;
}

const text: SchemaNode = { type: 'string' };

function withObjectMeta(node: SchemaNode): SchemaNode {
  const metadata = node.properties?.get('metadata');
  if (metadata?.properties?.has('managedFields') === true) return node;
  const properties = new Map(node.properties);
  properties.set('apiVersion', text).set('kind', text).set('metadata', objectMetaNode);
  return { ...node, properties };
}

function compile(node: SchemaNode, inherited: boolean): MergeType {
  const preserve = inherited || node.preserveUnknownFields === true;
  const cache = preserve ? preserving : plain;
  let type = cache.get(node);
  if (type !== undefined) return type;
  type = {};
  // Set before the fields are compiled, because nodes of built-in kinds can be cyclic.
  cache.set(node, type);
  const shape = node.embeddedResource === true ? withObjectMeta(node) : node;
  switch (shape.type) {
    case 'object':
      type.map = compileMap(shape, preserve);
      break;
    case 'array':
      type.list = compileList(shape, preserve);
      break;
    case 'integer':
    case 'number':
      type.scalar = 'numeric';
      break;
    case 'boolean':
      type.scalar = 'boolean';
      break;
    case 'string':
      type.scalar =
        shape.format === undefined || shape.format === '' || shape.format === 'byte' ? 'string' : 'untyped';
      break;
    default:
      type.scalar = 'untyped';
      type.list = compileList(shape, preserve);
      type.map = compileMap(shape, preserve);
  }
  return type;
}

function compileMap(node: SchemaNode, preserve: boolean): MergeMap {
  const fields = new Map<string, MergeField>();
  for (const [name, property] of node.properties ?? []) {
    const type = property === objectMetaNode ? compile(property, false) : compile(property, preserve);
    fields.set(name, {
      id: fieldElement(name),
      counted: counted(name),
      type,
      ...(property.default === undefined ? {} : { default: property.default }),
    });
  }
  const map: MergeMap = { atomic: node.mapType === 'atomic', fields };
  if (node.additionalProperties !== undefined) {
    map.element = node.additionalProperties === true ? deduced : compile(node.additionalProperties, preserve);
  } else if (preserve || fields.size === 0) {
    map.element = deduced;
  }
  return map;
}

/** Returns a text with its length before it: what follows it does not change where it ends. */
export const counted = (text: string): string => `${text.length} ${text}`;

function compileList(node: SchemaNode, preserve: boolean): MergeList {
  const element = node.items === undefined ? untyped : compile(node.items, preserve);
  if (node.listType === 'set') return { atomic: false, keys: [], element };
  if (node.listType === 'map') return { atomic: false, keys: node.listMapKeys ?? [], element };
  if (node.listType === undefined && /^merge(,|$)/.test(node.patchStrategy ?? '')) {
    return { atomic: false, keys: node.patchMergeKey === undefined ? [] : [node.patchMergeKey], element };
  }
  return { atomic: true, keys: [], element };
}
