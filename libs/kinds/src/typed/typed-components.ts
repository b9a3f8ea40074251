import { isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { lazily } from '@annex/machinery';
import { type RecordedComponents, recordedComponents } from '../builtin/data.ts';
import { withReferences } from '../component-references.ts';
import { componentName } from '../component-name.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const rawExtension = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

/** The shared types of Go's library. */
const shared = lazily(() =>
  Object.fromEntries(withReferences(recordedComponents('apps', 'v1'), [`${meta}.ObjectMeta`])),
);

/** The components of a kind's Go types, and the name of the kind's own component. */
export interface TypedComponents {
  components: RecordedComponents;
  root: string;
}

/**
 * Declares the Go types that a structural schema describes: a struct for each object with named fields, and a
 * named type for other values with a title. A struct is named after the outer struct and the field
 * (`FlunderSpec`), or by its `title`.
 */
export function typedComponents(
  group: string,
  version: string,
  kind: string,
  schema: JsonObject,
): TypedComponents {
  const own: Record<string, JsonObject> = {};
  const nameOf = (type: string) => componentName(group, version, type);
  const declare = (type: string, document: JsonObject): JsonObject => {
    setOwn(own, nameOf(type), document);
    return refTo(nameOf(type));
  };
  const typeOf = (node: JsonObject, name: string): JsonObject => {
    const { title, ...plain } = node;
    const type = typeof title === 'string' && title !== '' ? title : undefined;
    if (isRaw(plain)) return refTo(rawExtension);
    if (plain['x-kubernetes-int-or-string'] === true) return refTo(intOrString);
    if (plain.type === 'string' && plain.format === 'date-time') return refTo(`${meta}.Time`);
    if (isObject(plain.properties)) {
      const struct = type ?? name;
      return declare(struct, structOf(plain, struct));
    }
    const document = documentOf(plain, name);
    return type === undefined ? document : declare(type, document);
  };
  const structOf = (node: JsonObject, name: string): JsonObject => ({
    type: 'object',
    properties: mapped(node.properties as JsonObject, (field, key) => fieldOf(field, name + capital(key))),
    ...(node.required === undefined ? {} : { required: node.required }),
  });
  const fieldOf = (field: JsonObject, name: string): JsonObject => ({
    ...asReferred(typeOf(field, name)),
    ...kept(field),
    ...mergeRule(field),
  });
  const documentOf = (node: JsonObject, name: string): JsonObject => ({
    ...node,
    ...(isObject(node.items) ? { items: fieldOf(node.items, name) } : {}),
    ...(isObject(node.additionalProperties)
      ? { additionalProperties: fieldOf(node.additionalProperties, name) }
      : {}),
  });
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = (schema.properties ?? {}) as JsonObject;
  setOwn(own, nameOf(kind), {
    ...structOf({ ...schema, properties }, kind),
    properties: {
      kind: { type: 'string' },
      apiVersion: { type: 'string' },
      metadata: { allOf: [refTo(`${meta}.ObjectMeta`)], default: {} },
      ...(structOf({ properties }, kind).properties as JsonObject),
    },
  });
  const libraries = { [intOrString]: {}, [rawExtension]: { type: 'object' } };
  return { components: { ...shared(), ...libraries, ...own } as RecordedComponents, root: nameOf(kind) };
}

const refTo = (component: string): JsonObject => ({ $ref: `#/components/schemas/${component}` });
const asReferred = (type: JsonObject): JsonObject => (type.$ref === undefined ? type : { allOf: [type] });
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const mapped = (fields: JsonObject, map: (field: JsonObject, name: string) => JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, JsonValue] => [
      name,
      map(isObject(field) ? field : {}, name),
    ]),
  );

/** Returns whether a field is arbitrary JSON, which Go preserves unchanged. */
const isRaw = (node: JsonObject): boolean =>
  node['x-kubernetes-preserve-unknown-fields'] === true || node['x-kubernetes-embedded-resource'] === true;

/** Keywords of a field that are independent of its type. */
const keptKeywords = ['default', 'description', 'x-kubernetes-map-type'] as const;

const kept = (field: JsonObject): JsonObject =>
  Object.fromEntries(
    keptKeywords.flatMap((name): [string, JsonValue][] =>
      name in field ? [[name, field[name] as JsonValue]] : [],
    ),
  );

/** Returns the strategic merge rule of a list: by its map keys, unless the field declares another rule. */
function mergeRule(field: JsonObject): JsonObject {
  const { 'x-kubernetes-patch-strategy': strategy, 'x-kubernetes-patch-merge-key': key } = field;
  const [first] = Array.isArray(field['x-kubernetes-list-map-keys'])
    ? field['x-kubernetes-list-map-keys']
    : [];
  const listType = field['x-kubernetes-list-type'];
  const merges = strategy ?? (listType === 'map' || listType === 'set' ? 'merge' : undefined);
  const mergeKey = key ?? (listType === 'map' ? first : undefined);
  return {
    ...(merges === undefined ? {} : { 'x-kubernetes-patch-strategy': merges }),
    ...(mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': mergeKey }),
  };
}
