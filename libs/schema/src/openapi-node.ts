import { isObject, type JsonObject, type JsonValue, tableOf } from '@annex/machinery';
import { namedGoType } from './go-decoding/go-names.ts';
import type { SchemaNode } from './node.ts';
import { structuralNode } from './structural/structural-node.ts';

/** `components.schemas` of a recorded OpenAPI v3 document. */
export type OpenApiComponents = Readonly<Record<string, JsonObject>>;

const trees = new WeakMap<OpenApiComponents, Map<string, SchemaNode>>();

/**
 * Returns the tree of a component of an OpenAPI document, by name or `$ref`. References are resolved on access, and each
 * component becomes one node, so that the tree can be cyclic. Throws for an unknown component.
 */
export function openApiNode(components: OpenApiComponents, ref: string): SchemaNode {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  const known = trees.get(components) ?? new Map<string, SchemaNode>();
  trees.set(components, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const document = Object.hasOwn(components, name) ? components[name] : undefined;
  if (document === undefined) throw new Error(`OpenAPI component ${name} is not declared`);
  const node = componentNode(components, name, document);
  known.set(name, node);
  return node;
}

/** Components whose values differ from their documentation. */
const special = tableOf<(components: OpenApiComponents, node: SchemaNode, name: string) => void>({
  'resource.Quantity': (_, node) => (node.format = 'quantity'),
  'intstr.IntOrString': (_, node) => (node.intOrString = true),
  'runtime.RawExtension': (_, node) =>
    Object.assign(node, { preserveUnknownFields: true, mapType: 'atomic' }),
  'v1.FieldsV1': (_, node) => (node.preserveUnknownFields = true),
  'v1.JSON': (_, node) => (node.preserveUnknownFields = true),
  'v1.JSONSchemaPropsOrArray': schemaOrOther,
  'v1.JSONSchemaPropsOrBool': schemaOrOther,
  'v1.JSONSchemaPropsOrStringArray': schemaOrOther,
});

function schemaOrOther(components: OpenApiComponents, node: SchemaNode, name: string): void {
  node.preserveUnknownFields = true;
  const schema = name.slice(0, name.lastIndexOf('JSONSchemaProps') + 'JSONSchemaProps'.length);
  defineLazily(node, 'decodesAs', () => openApiNode(components, schema));
}

function componentNode(components: OpenApiComponents, name: string, document: JsonObject): SchemaNode {
  const node = documentNode(components, document, name);
  const goType = name.split('.').slice(-2).join('.');
  node.goType = goType;
  special.get(goType)?.(components, node, name);
  // A struct without fields, such as the settings of the status subresource.
  if (
    document.type === 'object' &&
    !holdsFields.some((keyword) => Object.hasOwn(document, keyword)) &&
    !isOpen(node)
  )
    node.properties = new Map();
  return node;
}

const holdsFields = ['properties', 'additionalProperties'];
const isOpen = ({ preserveUnknownFields, embeddedResource, intOrString }: SchemaNode): boolean =>
  preserveUnknownFields === true || embeddedResource === true || intOrString === true;

function documentNode(components: OpenApiComponents, document: JsonObject, name?: string): SchemaNode {
  const target = refOf(document);
  const node =
    target === undefined ? ownNode(components, document, name) : copyOf(openApiNode(components, target));
  setOverrides(node, document);
  return node;
}

/** A property that is only a reference shares the node of the component. */
function valueNode(components: OpenApiComponents, document: JsonObject): SchemaNode {
  const target = refOf(document);
  if (target !== undefined && Object.keys(document).length === 1) return openApiNode(components, target);
  return documentNode(components, document);
}

/** Sets the Go type of a field that its document omits. */
function named(node: SchemaNode, component: string | undefined, field: string): SchemaNode {
  const type = component === undefined ? undefined : namedGoType(component, field);
  // The only quantity that is optional but not a pointer: the document does not show that it is zero if absent.
  if (component?.endsWith('.v1.ResourceFieldSelector') && field === 'divisor') {
    return Object.assign(copyOf(node), { default: '0' });
  }
  if (type === undefined || node.goType !== undefined) return node;
  if (type.startsWith('[]') && node.items !== undefined)
    node.items = { ...node.items, goType: type.slice(2) };
  else node.goType = type;
  const values = /^map\[.*\](v1\..*)/.exec(type)?.[1];
  const { additionalProperties: each } = node;
  if (values !== undefined && typeof each === 'object' && each.goType === undefined)
    node.additionalProperties = { ...each, goType: values };
  return node;
}

function refOf(document: JsonObject): string | undefined {
  if (typeof document.$ref === 'string') return document.$ref;
  const [only] = Array.isArray(document.allOf) ? document.allOf : [];
  return isObject(only) && typeof only.$ref === 'string' ? only.$ref : undefined;
}

function ownNode(components: OpenApiComponents, document: JsonObject, component?: string): SchemaNode {
  const { properties, items, additionalProperties, ...scalars } = document;
  const node = structuralNode(scalars);
  if (isObject(properties)) {
    defineLazily(node, 'properties', () => {
      const entries = Object.entries(properties).filter((entry): entry is [string, JsonObject] =>
        isObject(entry[1]),
      );
      return new Map(
        entries.map(([name, property]) => [name, named(valueNode(components, property), component, name)]),
      );
    });
  }
  if (isObject(items)) defineLazily(node, 'items', () => valueNode(components, items));
  if (isObject(additionalProperties)) {
    defineLazily(node, 'additionalProperties', () => valueNode(components, additionalProperties));
  }
  return node;
}

const children = ['properties', 'items', 'additionalProperties', 'decodesAs'] as const;

function copyOf(node: SchemaNode): SchemaNode {
  const copy: SchemaNode = {};
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(node))) {
    if (descriptor.get === undefined) Object.defineProperty(copy, name, descriptor);
  }
  for (const name of children) if (name in node) defineLazily(copy, name, () => node[name]);
  return copy;
}

/** Applies the members beside a reference, which belong to the field. */
function setOverrides(node: SchemaNode, document: JsonObject): void {
  const value: JsonValue | undefined = document.default;
  if (value !== undefined) node.default = value;
  if (typeof document.description === 'string') node.description = document.description;
  const strategy = document['x-kubernetes-patch-strategy'];
  if (typeof strategy === 'string') node.patchStrategy = strategy;
  const key = document['x-kubernetes-patch-merge-key'];
  if (typeof key === 'string') node.patchMergeKey = key;
  const mapType = document['x-kubernetes-map-type'];
  if (mapType === 'atomic' || mapType === 'granular') node.mapType = mapType;
}

/** Computes a field when it is first read. It is enumerable, so that a spread copies its value. */
function defineLazily<K extends keyof SchemaNode>(
  node: SchemaNode,
  name: K,
  compute: () => SchemaNode[K],
): void {
  Object.defineProperty(node, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = compute();
      Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  });
}
