import { deepCopy, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { type Crd, versionsOf } from '../definition/crd.ts';

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

/** The name of a kind's component: the group backwards, the version, the kind. */
export const componentName = (group: string, version: string, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;

/** The components of a version of a CRD: its kind and the list of it. */
export function publishedSchemas(crd: Crd, version: string): JsonObject {
  const { group } = crd.spec;
  const { kind, listKind = `${kind}List` } = crd.status.acceptedNames;
  const name = componentName(group, version, kind);
  return {
    [name]: kindSchema(crd, version, kind),
    [componentName(group, version, listKind)]: {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...typeMeta,
        items: {
          description: `List of ${crd.status.acceptedNames.plural}. More info: ${conventions}`,
          type: 'array',
          items: { $ref: `#/components/schemas/${name}` },
        },
        metadata: {
          description: `Standard list metadata. More info: ${conventions}#types-kinds`,
          allOf: [{ $ref: `${meta}ListMeta` }],
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
      ...selectableFields(crd, version),
    },
  };
}

function kindSchema(crd: Crd, name: string, kind: string): JsonObject {
  const version = versionsOf(crd).find((candidate) => candidate.name === name);
  const gvk = { 'x-kubernetes-group-version-kind': [{ group: crd.spec.group, kind, version: name }] };
  const source = version?.schema?.openAPIV3Schema;
  if (source === undefined) return { type: 'object', ...gvk, ...selectableFields(crd, name) };
  const schema = deepCopy(source);
  publish(schema);
  schema.properties = {
    ...(isObject(schema.properties) ? schema.properties : {}),
    ...typeMeta,
    metadata: objectMeta,
  };
  return { ...schema, ...gvk, ...selectableFields(crd, name) };
}

function selectableFields(crd: Crd, name: string): JsonObject {
  const fields = versionsOf(crd).find((version) => version.name === name)?.selectableFields;
  if (fields === undefined) return {};
  const paths = fields.map(({ jsonPath }) => ({ fieldPath: jsonPath.replace(/^\./, '') }));
  return { 'x-kubernetes-selectable-fields': paths };
}

/** Spells out what the extensions of a schema and of those inside of it mean; changes it in place. */
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
