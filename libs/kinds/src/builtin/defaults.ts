import { deepCopy, getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import type { RecordedComponents } from './data.ts';

/** Sets what is absent in a value of one type, before the values inside of it are visited. */
export type Default = (value: JsonObject) => void;

/**
 * Defaults by the name of the OpenAPI component, as kube's `SetDefaults_*` functions are by type: a table of fields to
 * set where they are absent, or a function where one field depends on another.
 */
export type TypeDefaults = Readonly<Record<string, Default | Readonly<Record<string, JsonValue>>>>;

/** A field of a component that holds another component, perhaps inside of arrays or maps. */
interface Edge {
  field: string;
  to: string;
}

/** Sets fields that are absent or null. */
export function setAbsent(value: JsonObject, fields: Readonly<Record<string, JsonValue>>): void {
  for (const [field, fallback] of Object.entries(fields)) {
    if ((getOwn(value, field) ?? null) === null) setOwn(value, field, deepCopy(fallback));
  }
}

/** Compiles the defaults that apply anywhere inside of a component into one walk that visits only what has any. */
export function compileDefaults(
  components: RecordedComponents,
  root: string,
  defaults: TypeDefaults,
): Default {
  const edges = new Map<string, Edge[]>();
  collectEdges(components, root, edges);
  const useful = reaching(edges, new Set(Object.keys(defaults)));
  for (const [name, list] of edges) {
    edges.set(
      name,
      list.filter((edge) => useful.has(edge.to)),
    );
  }
  const visit = (name: string, value: JsonValue | undefined): void => {
    if (Array.isArray(value)) value.forEach((item) => visit(name, item));
    if (!isObject(value)) return;
    const own = getOwn(defaults, name);
    if (typeof own === 'function') own(value);
    else if (own !== undefined) setAbsent(value, own);
    for (const edge of edges.get(name) ?? []) {
      if (Object.hasOwn(value, edge.field)) visit(edge.to, value[edge.field]);
    }
  };
  return (object) => visit(root, object);
}

function collectEdges(components: RecordedComponents, name: string, into: Map<string, Edge[]>): void {
  if (into.has(name)) return;
  const list: Edge[] = [];
  into.set(name, list);
  for (const [field, schema] of Object.entries((getOwn(components, name)?.properties ?? {}) as JsonObject)) {
    const to = heldComponent(schema as JsonObject);
    if (to === undefined) continue;
    list.push({ field, to });
    collectEdges(components, to, into);
  }
}

/** The components from which one of the targets can be reached, the targets included. */
function reaching(edges: ReadonlyMap<string, Edge[]>, targets: Set<string>): Set<string> {
  const found = new Set(targets);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [name, list] of edges) if (list.some((edge) => found.has(edge.to))) found.add(name);
  }
  return found;
}

/** The component that a field's schema refers to, directly, by a single `allOf`, or as items of an array. */
function heldComponent(schema: JsonObject): string | undefined {
  if (isObject(schema.items)) return heldComponent(schema.items);
  const holder = Array.isArray(schema.allOf) && schema.allOf.length === 1 ? schema.allOf[0] : schema;
  const ref = isObject(holder) ? holder.$ref : undefined;
  return typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : undefined;
}
