import { componentName, type PublishedKind } from '@annex/kinds';
import { deepCopy, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';

const meta = '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.';
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

const typeMeta: JsonObject = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};

const objectMeta: JsonObject = {
  description: `Standard object's metadata. More info: ${conventions}#metadata`,
  allOf: [{ $ref: `${meta}ObjectMeta` }],
};

const embeddedMeta: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
  metadata: objectMeta,
};

/** Returns the components of a kind with a structural schema: the kind and its list. */
export const publishedSchemas = (of: PublishedKind): JsonObject =>
  Object.fromEntries([kindSchema(of), listSchema(of)]);

type NamedComponent = [name: string, component: JsonObject];

/** Returns the component of the list of a kind. It depends on the names of the kind and its selectable fields. */
export function listSchema(of: PublishedKind): NamedComponent {
  const { group, version, kind, listKind, plural } = of;
  const component: JsonObject = {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: {
        description: `List of ${plural}. More info: ${conventions}`,
        type: 'array',
        items: { $ref: `#/components/schemas/${componentName(group, version, kind)}` },
      },
      metadata: {
        description: `Standard list metadata. More info: ${conventions}#types-kinds`,
        allOf: [{ $ref: `${meta}ListMeta` }],
      },
    },
    'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    ...selectableFields(of),
  };
  return [componentName(group, version, listKind), component];
}

/** Returns the component of a kind. */
export const kindSchema = (of: PublishedKind): NamedComponent => [
  componentName(of.group, of.version, of.kind),
  schemaOf(of),
];

function schemaOf(of: PublishedKind): JsonObject {
  const { group, kind, version, schema: source } = of;
  const gvk = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
  if (source === undefined) return { type: 'object', ...gvk, ...selectableFields(of) };
  const schema = deepCopy(source);
  publish(schema);
  schema.properties = {
    ...(isObject(schema.properties) ? schema.properties : {}),
    ...typeMeta,
    metadata: objectMeta,
  };
  return { ...schema, ...gvk, ...selectableFields(of) };
}

function selectableFields({ selectableFields: fields }: PublishedKind): JsonObject {
  if (fields === undefined) return {};
  return {
    'x-kubernetes-selectable-fields': fields.map((path) => ({ fieldPath: path.replace(/^\./, '') })),
  };
}

/** Replaces the extensions of a schema and its nested schemas by equivalent keywords, in place. */
function publish(schema: JsonObject): void {
  if (schema['x-kubernetes-int-or-string'] === true) unfoldIntOrString(schema);
  for (const part of [schema.items, schema.additionalProperties]) if (isObject(part)) publish(part);
  if (isObject(schema.properties)) {
    for (const part of Object.values(schema.properties)) if (isObject(part)) publish(part);
  }
  if (schema['x-kubernetes-embedded-resource'] === true) describeEmbedded(schema);
}

const intOrString: JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

const isIntOrString = (anyOf: JsonValue | undefined): boolean =>
  Array.isArray(anyOf) &&
  anyOf.length === 2 &&
  anyOf.every(
    (part, i) => isObject(part) && part.type === intOrString[i]?.type && Object.keys(part).length === 1,
  );

function unfoldIntOrString(schema: JsonObject): void {
  const { anyOf, allOf = [] } = schema;
  const [first] = Array.isArray(allOf) ? allOf : [];
  if (isIntOrString(anyOf) || (isObject(first) && isIntOrString(first.anyOf))) return;
  if (anyOf === undefined) schema.anyOf = deepCopy(intOrString);
  else schema.allOf = [{ anyOf: deepCopy(intOrString) }, ...(Array.isArray(allOf) ? allOf : [])];
}

function describeEmbedded(schema: JsonObject): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const [name, property] of Object.entries(embeddedMeta)) setOwn(properties, name, property);
  schema.properties = properties;
  const required = Array.isArray(schema.required) ? schema.required : [];
  schema.required = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))];
}
