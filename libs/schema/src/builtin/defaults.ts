import {
  type DividedVisit,
  deepCopy,
  getOwn,
  isKnownWide,
  isManyParts,
  isObject,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  setOwn,
} from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { lazyWalks, type Walk } from './lazy-walks.ts';

/** Sets the defaults below a value. The items of long lists wait for the passes of a visit, if there is one. */
type DefaultsWalk = Walk<DividedVisit | undefined>;

/** Compiles the defaults of a type and of the types below it, on first use. */
export const compileTypeDefaults = (root: SchemaNode): DefaultsWalk =>
  lazyWalks<DividedVisit | undefined>(makeDefaults)(root);

const nothing = (): void => undefined;

function makeDefaults(node: SchemaNode, walkOf: (node: SchemaNode) => DefaultsWalk): DefaultsWalk {
  const { properties, items } = node;
  if (properties !== undefined) return structDefaults(properties, walkOf);
  const values = node.additionalProperties === true ? undefined : node.additionalProperties;
  if (values !== undefined) {
    return memberDefaults(values, walkOf(values));
  }
  return items === undefined ? nothing : itemDefaults(items, walkOf(items));
}

function memberDefaults(node: SchemaNode, walk: DefaultsWalk): DefaultsWalk {
  const setMember = (object: JsonObject, name: string, visits: DividedVisit | undefined): void => {
    // permitted: no-inherited-keys, this is one of its own names
    let member = object[name] as JsonValue;
    if (member === null && node.default !== undefined) {
      member = deepCopy(node.default);
      setOwn(object, name, member);
    }
    if (typeof member === 'object') walk(member, visits);
  };
  function* inPasses(object: JsonObject, visits: DividedVisit): Passes<void> {
    yield* visits.each(yield* namesInPasses(object), (name) => setMember(object, name, visits));
  }
  return (value, visits) => {
    if (!isObject(value)) return;
    if (visits !== undefined && isKnownWide(value)) return visits.postpone(inPasses(value, visits));
    for (const name in value) setMember(value, name, visits);
  };
}

function structDefaults(
  properties: Map<string, SchemaNode>,
  walkOf: (node: SchemaNode) => DefaultsWalk,
): DefaultsWalk {
  const defaulted = [...properties].flatMap(([name, { default: fallback }]) =>
    fallback === undefined ? [] : [{ name, fallback }],
  );
  const walks = new Map([...properties].map(([name, child]) => [name, walkOf(child)]));
  return (value, visits) => {
    if (!isObject(value)) return;
    for (const { name, fallback } of defaulted) {
      if ((getOwn(value, name) ?? null) === null) setOwn(value, name, deepCopy(fallback));
    }
    for (const name in value) {
      const field = value[name];
      if (typeof field === 'object' && field !== null) walks.get(name)?.(field, visits);
    }
  };
}

function itemDefaults(node: SchemaNode, walk: DefaultsWalk): DefaultsWalk {
  const setItem = (list: JsonValue[], i: number, visits: DividedVisit | undefined): void => {
    if (list[i] === null && node.default !== undefined) list[i] = deepCopy(node.default);
    walk(list[i] as JsonValue, visits);
  };
  return (value, visits) => {
    if (!Array.isArray(value)) return;
    if (visits !== undefined && isManyParts(value.length))
      return visits.postpone(visits.each(value.keys(), (i) => setItem(value, i, visits)));
    visits?.count(value.length);
    for (let i = 0; i < value.length; i++) setItem(value, i, visits);
  };
}
