import {
  deepCopy,
  type DividedVisit,
  finish,
  getOwn,
  isManyParts,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
  setOwn,
} from '@annex/machinery';
import type { RecordedComponents } from './data.ts';

/** Sets absent fields in a value of one type, before nested values are visited. What takes long for a large object is done in passes. */
export type Default = (value: JsonObject) => Passes<void> | void;

/** The same for a value whose long lists wait for the passes of the visit. */
type RootDefault = (value: JsonObject, visit: DividedVisit) => Passes<void> | void;

/**
 * Defaults by OpenAPI component, like kube-apiserver's `SetDefaults_*` functions by type: a table of fields
 * and values, or a function if one field depends on another.
 */
export type TypeDefaults = Readonly<Record<string, Default | Readonly<Record<string, JsonValue>>>>;

/** A field of a component with another component as its type, possibly inside of arrays or maps. */
interface Edge {
  field: string;
  to: string;
  /** The field is a map of values of that type. */
  isMap: boolean;
}

/** Sets fields that are absent or null. */
export function setAbsent(value: JsonObject, fields: Readonly<Record<string, JsonValue>>): void {
  for (const [field, fallback] of Object.entries(fields)) {
    if ((getOwn(value, field) ?? null) === null) setOwn(value, field, deepCopy(fallback));
  }
}

/**
 * Compiles the defaults of a component and its nested components into one function, which visits only fields
 * with defaults. Those of the component itself may have passes.
 */
export function compileDefaults(
  components: RecordedComponents,
  root: string,
  defaults: TypeDefaults,
): RootDefault {
  const edges = new Map<string, Edge[]>();
  collectEdges(components, root, edges);
  const useful = reaching(edges, new Set(Object.keys(defaults)));
  for (const [name, list] of edges) {
    edges.set(
      name,
      list.filter((edge) => useful.has(edge.to)),
    );
  }
  const visit = (name: string, value: JsonValue | undefined, visits: DividedVisit): void => {
    if (Array.isArray(value)) visitEach(name, value, visits);
    if (!isObject(value)) return;
    const passes = setOwnDefaults(name, value);
    if (passes !== undefined) finish(passes);
    visitBelow(name, value, visits);
  };
  const visitEach = (name: string, list: readonly JsonValue[], visits: DividedVisit): void => {
    if (isManyParts(list.length))
      return visits.postpone(visits.each(list, (item) => visit(name, item, visits)));
    visits.count(list.length);
    for (const item of list) visit(name, item, visits);
  };
  const setOwnDefaults = (name: string, value: JsonObject): Passes<void> | void => {
    const own = getOwn(defaults, name);
    if (typeof own === 'function') return own(value);
    if (own !== undefined) setAbsent(value, own);
  };
  const visitBelow = (name: string, value: JsonObject, visits: DividedVisit): void => {
    for (const edge of edges.get(name) ?? []) {
      if (!Object.hasOwn(value, edge.field)) continue;
      const held = value[edge.field];
      if (!edge.isMap) visit(edge.to, held, visits);
      else if (isObject(held)) visitEach(edge.to, Object.values(held), visits);
    }
  };
  function* visitAfter(passes: Passes<void>, object: JsonObject, visits: DividedVisit): Passes<void> {
    yield* passes;
    yield;
    visitBelow(root, object, visits);
  }
  return (object, visits) => {
    const passes = setOwnDefaults(root, object);
    if (passes !== undefined) return visitAfter(passes, object, visits);
    visitBelow(root, object, visits);
  };
}

function collectEdges(components: RecordedComponents, name: string, into: Map<string, Edge[]>): void {
  if (into.has(name)) return;
  const list: Edge[] = [];
  into.set(name, list);
  for (const [field, schema] of Object.entries((getOwn(components, name)?.properties ?? {}) as JsonObject)) {
    const { additionalProperties } = schema as JsonObject;
    const isMap = isObject(additionalProperties);
    const to = heldComponent(isMap ? additionalProperties : (schema as JsonObject));
    if (to === undefined) continue;
    list.push({ field, to, isMap });
    collectEdges(components, to, into);
  }
}

/** Returns the components from which one of the targets can be reached, including the targets. */
function reaching(edges: ReadonlyMap<string, Edge[]>, targets: Set<string>): Set<string> {
  const found = new Set(targets);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [name, list] of edges) if (list.some((edge) => found.has(edge.to))) found.add(name);
  }
  return found;
}

/**
 * Returns the component that a field's schema refers to: directly, by a single `allOf`, or as items of an
 * array.
 */
function heldComponent(schema: JsonObject): string | undefined {
  if (isObject(schema.items)) return heldComponent(schema.items);
  const holder = Array.isArray(schema.allOf) && schema.allOf.length === 1 ? schema.allOf[0] : schema;
  const ref = isObject(holder) ? holder.$ref : undefined;
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}
