import type { Body, Shape } from './large-objects.ts';
import type { TurnRequest } from './h2-client.ts';

/** A request whose turns are measured; a watch if it waits for bytes. */
export interface TurnRow extends TurnRequest {
  name: string;
  /** Bytes after which a watch ends. */
  watched?: number;
  /** The body has the text `VERSION` instead of the object's resourceVersion. */
  needsVersion?: boolean;
}

const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const metadataOnly = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const merge = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

/** Objects that exist while lists are measured. */
export const listed = 4;

const named = (shape: Shape, name: string, edit: (body: Body) => void = () => undefined): string => {
  const body = shape.build();
  body.metadata = { ...body.metadata, name };
  edit(body);
  return JSON.stringify(body);
};

const versioned = (shape: Shape, edit: (body: Body) => void): string =>
  named(shape, 'one', (body) => {
    edit(body);
    body.metadata.resourceVersion = 'VERSION';
  });

/** Returns the requests of one shape, which create objects and delete them. */
export function rowsOf(shape: Shape): TurnRow[] {
  const { path, isBuiltIn } = shape;
  const formats = [
    ['JSON', undefined],
    ['YAML', yaml],
    ...(isBuiltIn ? [['protobuf', protobuf] as const] : []),
    ['Table', table],
  ] as const;
  const accepts = (accept: string | undefined) => (accept === undefined ? {} : { accept });
  const one = `${path}/one`;
  const rows: TurnRow[] = [
    { name: 'create', method: 'POST', path, body: named(shape, 'one') },
    ...formats.map(([format, accept]) => ({
      name: `get ${format}`,
      method: 'GET',
      path: one,
      ...accepts(accept),
    })),
    { name: 'get metadata', method: 'GET', path: one, accept: metadataOnly },
    {
      name: 'create dry run, strict',
      method: 'POST',
      path: `${path}?dryRun=All&fieldValidation=Strict`,
      body: named(shape, 'dry'),
    },
    { name: 'create as YAML', method: 'POST', path, body: named(shape, 'two'), type: yaml },
    { name: 'update', method: 'PUT', path: one, body: versioned(shape, shape.change), needsVersion: true },
    {
      name: 'update, nothing',
      method: 'PUT',
      path: one,
      body: versioned(shape, shape.change),
      needsVersion: true,
    },
    {
      name: 'merge patch, annotation',
      method: 'PATCH',
      path: one,
      type: merge,
      body: '{"metadata":{"annotations":{"a":"b"}}}',
    },
    { name: 'merge patch, all', method: 'PATCH', path: one, type: merge, body: mergeOf(shape) },
    {
      name: 'JSON patch',
      method: 'PATCH',
      path: one,
      type: 'application/json-patch+json',
      body: '[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]',
    },
    ...(isBuiltIn
      ? [
          {
            name: 'strategic patch',
            method: 'PATCH',
            path: one,
            type: 'application/strategic-merge-patch+json',
            body: JSON.stringify(shape.strategic?.() ?? { metadata: { annotations: { c: 'd' } } }),
          },
        ]
      : []),
    {
      name: 'apply, new',
      method: 'PATCH',
      path: `${path}/three?fieldManager=a`,
      type: applyPatch,
      body: named(shape, 'three'),
    },
    {
      name: 'apply, changed',
      method: 'PATCH',
      path: `${path}/three?fieldManager=a`,
      type: applyPatch,
      body: named(shape, 'three', shape.change),
    },
    {
      name: 'apply, other manager',
      method: 'PATCH',
      path: `${path}/three?fieldManager=b&force=true`,
      type: applyPatch,
      body: named(shape, 'three'),
    },
    {
      name: 'apply, over updates',
      method: 'PATCH',
      path: `${path}/one?fieldManager=a&force=true`,
      type: applyPatch,
      body: named(shape, 'one'),
    },
    { name: 'create the fourth', method: 'POST', path, body: named(shape, 'four') },
    ...formats.map(([format, accept]) => ({
      name: `list ${format}`,
      method: 'GET',
      path,
      ...accepts(accept),
    })),
    { name: 'list metadata', method: 'GET', path, accept: metadataList },
    { name: 'list by field', method: 'GET', path: `${path}?fieldSelector=metadata.name%3Done` },
    { name: 'list by label', method: 'GET', path: `${path}?labelSelector=a%3Db` },
    ...formats
      .filter(([format]) => format !== 'YAML')
      .map(([format, accept]) => ({
        name: `watch ${format}`,
        method: 'GET',
        path: `${path}?watch=1`,
        watched: format === 'Table' ? 500 : listed * 400_000,
        ...accepts(accept),
      })),
    { name: 'delete', method: 'DELETE', path: one },
    { name: 'delete all', method: 'DELETE', path },
  ];
  return rows;
}

function mergeOf(shape: Shape): string {
  const body = shape.build();
  shape.change(body);
  const { apiVersion: _version, kind: _kind, ...rest } = body;
  return JSON.stringify({ metadata: { annotations: { e: 'f' } }, ...rest });
}

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The requests of a large definition. */
export function definitionRows(definition: Body, group: string): TurnRow[] {
  const { name } = definition.metadata as { name: string };
  const one = `${crds}/${name}`;
  const objects = `/apis/huge.${group}/v1/namespaces/large/huges`;
  const object = {
    apiVersion: `huge.${group}/v1`,
    kind: 'Huge',
    metadata: { name: 'a' },
    spec: { branch1: { property0: 'x', property1: 2 } },
  };
  const wait = (of: string): TurnRow => ({ name: of, method: 'GET', path: objects });
  const protobufV2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const protobufV3 = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
  const changed = structuredClone(definition);
  changed.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.branch0.description = 'Changed.';
  return [
    { name: 'create', method: 'POST', path: crds, body: JSON.stringify(definition) },
    wait('first list'),
    { name: 'first create', method: 'POST', path: objects, body: JSON.stringify(object) },
    {
      name: 'create, strict',
      method: 'POST',
      path: `${objects}?fieldValidation=Strict&dryRun=All`,
      body: JSON.stringify({ ...object, metadata: { name: 'b' } }),
    },
    {
      name: 'apply',
      method: 'PATCH',
      path: `${objects}/a?fieldManager=a&force=true`,
      type: applyPatch,
      body: JSON.stringify(object),
    },
    { name: 'get JSON', method: 'GET', path: one },
    { name: 'get YAML', method: 'GET', path: one, accept: yaml },
    { name: 'get protobuf', method: 'GET', path: one, accept: protobuf },
    { name: 'get Table', method: 'GET', path: one, accept: table },
    { name: 'list JSON', method: 'GET', path: crds },
    { name: 'list protobuf', method: 'GET', path: crds, accept: protobuf },
    { name: 'OpenAPI v3 JSON', method: 'GET', path: `/openapi/v3/apis/huge.${group}/v1` },
    {
      name: 'OpenAPI v3 protobuf',
      method: 'GET',
      path: `/openapi/v3/apis/huge.${group}/v1`,
      accept: protobufV3,
    },
    { name: 'OpenAPI v3 index', method: 'GET', path: '/openapi/v3' },
    { name: 'OpenAPI v2 JSON', method: 'GET', path: '/openapi/v2' },
    { name: 'OpenAPI v2 protobuf', method: 'GET', path: '/openapi/v2', accept: protobufV2 },
    {
      name: 'merge patch',
      method: 'PATCH',
      path: one,
      type: merge,
      body: '{"metadata":{"annotations":{"a":"b"}}}',
    },
    {
      name: 'merge patch of the schema',
      method: 'PATCH',
      path: one,
      type: merge,
      body: JSON.stringify({ spec: changed.spec }),
    },
    {
      name: 'apply of the definition',
      method: 'PATCH',
      path: `${one}?fieldManager=a&force=true`,
      type: applyPatch,
      body: JSON.stringify(definition),
    },
    wait('list after it'),
    { name: 'OpenAPI v3 after it', method: 'GET', path: `/openapi/v3/apis/huge.${group}/v1` },
    { name: 'OpenAPI v2 after it', method: 'GET', path: '/openapi/v2' },
    {
      name: 'watch JSON',
      method: 'GET',
      path: `${crds}?watch=1&fieldSelector=metadata.name%3D${name}`,
      watched: 1_000_000,
    },
    { name: 'delete', method: 'DELETE', path: one },
  ];
}
