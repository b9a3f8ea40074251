import { type InternalSpec, schemasOf } from '../crd/internal-form.ts';
import {
  DividedVisit,
  type FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type Passes,
} from '@annex/machinery';

/** A schema inside another schema. */
export interface SchemaPart {
  schema: JsonObject;
  path: FieldPath;
  /** The property that the schema describes, if any. */
  property?: string;
  via: 'additionalProperties' | 'property' | 'junctor' | 'items' | 'dead';
}

const junctors = ['allOf', 'oneOf', 'anyOf'] as const;

/** A schema inside another one: `key` is its name in a map, or its index in a list. */
type PlacedSchema = [schema: JsonObject, via: SchemaPart['via'], field: string, key?: string | number];

/** Returns the direct child schemas of a schema, in the order in which kube validates them. */
function childrenOf(schema: JsonObject): PlacedSchema[] {
  const children: PlacedSchema[] = [];
  const addOne = (field: string, via: SchemaPart['via']): void => {
    const value = getOwn(schema, field);
    if (isObject(value)) children.push([value, via, field]);
  };
  const addMap = (field: string, via: SchemaPart['via']): void => {
    const map = getOwn(schema, field);
    if (!isObject(map)) return;
    for (const key of Object.keys(map)) {
      const value = getOwn(map, key);
      if (isObject(value)) children.push([value, via, field, key]);
    }
  };
  const addList = (field: string, via: SchemaPart['via']): void => {
    const list = getOwn(schema, field);
    if (!Array.isArray(list)) return;
    for (const [i, value] of list.entries()) if (isObject(value)) children.push([value, via, field, i]);
  };
  addOne('additionalProperties', 'additionalProperties');
  addMap('properties', 'property');
  addOne('not', 'junctor');
  for (const field of junctors) addList(field, 'junctor');
  addMap('definitions', 'dead');
  addOne('items', 'items');
  addList('items', 'items');
  addMap('dependencies', 'dead');
  return children;
}

/** Visits the direct child schemas of a schema with their paths. */
export function* partsOf(schema: JsonObject, path: FieldPath): Iterable<SchemaPart> {
  for (const [part, via, field, key] of childrenOf(schema)) {
    const at = path.child(field);
    if (key === undefined) yield { schema: part, path: at, via };
    else if (typeof key === 'number') yield { schema: part, path: at.index(key), via };
    else yield { schema: part, path: at.key(key), via, property: key };
  }
}

/** Returns whether a schema of a CRD, or one inside it, matches the predicate, in passes over them. */
export function* anySchemaOf(
  spec: InternalSpec,
  predicate: (schema: JsonObject) => boolean,
): Passes<boolean> {
  const visits = new DividedVisit();
  const left = schemasOf(spec).reverse();
  for (let schema = left.pop(); schema !== undefined; schema = left.pop()) {
    if (visits.exceeds()) yield* visits.next();
    if (predicate(schema)) return true;
    for (const [part] of childrenOf(schema).reverse()) left.push(part);
  }
  return false;
}
