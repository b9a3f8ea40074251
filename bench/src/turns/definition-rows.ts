import type { Definition } from '../definition.ts';
import { media, type TurnRow } from './turn-row.ts';

/** The paths of the requests for a definition and its objects. */
interface Places {
  definitions: string;
  definition: string;
  objects: string;
  openApi: string;
  openApiV2: string;
  openApiIndex: string;
}

/** A request for a definition. */
interface DefinitionRow extends Omit<TurnRow, 'path' | 'body'> {
  place: keyof Places;
  /** What follows after the path. */
  at?: string;
  body?(definition: Definition): string;
}

const objectOf =
  (name: string) =>
  ({ spec }: Definition): string =>
    JSON.stringify({
      apiVersion: `${spec.group}/v1`,
      kind: spec.names.kind,
      metadata: { name },
      spec: { branch1: { property0: 'x', property1: 2 } },
    });

const whole = (definition: Definition): string => JSON.stringify(definition);

/** Returns the spec with another description of its first branch. */
const changedSpec = ({ spec }: Definition): string =>
  JSON.stringify({ spec }).replace('"description":"Branch 0."', '"description":"Changed."');

const annotation = (): string => '{"metadata":{"annotations":{"a":"b"}}}';

const rows: readonly DefinitionRow[] = [
  { name: 'create', method: 'POST', place: 'definitions', body: whole },
  { name: 'first list', method: 'GET', place: 'objects' },
  { name: 'first create', method: 'POST', place: 'objects', body: objectOf('a') },
  {
    name: 'create, strict',
    method: 'POST',
    place: 'objects',
    at: '?fieldValidation=Strict&dryRun=All',
    body: objectOf('b'),
  },
  {
    name: 'apply',
    method: 'PATCH',
    place: 'objects',
    at: '/a?fieldManager=a&force=true',
    type: media.apply,
    body: objectOf('a'),
  },
  { name: 'get JSON', method: 'GET', place: 'definition' },
  { name: 'get YAML', method: 'GET', place: 'definition', accept: media.yaml },
  { name: 'get protobuf', method: 'GET', place: 'definition', accept: media.protobuf },
  { name: 'get Table', method: 'GET', place: 'definition', accept: media.table },
  { name: 'list JSON', method: 'GET', place: 'definitions' },
  { name: 'list protobuf', method: 'GET', place: 'definitions', accept: media.protobuf },
  { name: 'OpenAPI v3 JSON', method: 'GET', place: 'openApi' },
  { name: 'OpenAPI v3 protobuf', method: 'GET', place: 'openApi', accept: media.openApiV3 },
  { name: 'OpenAPI v3 index', method: 'GET', place: 'openApiIndex' },
  { name: 'OpenAPI v2 JSON', method: 'GET', place: 'openApiV2' },
  { name: 'OpenAPI v2 protobuf', method: 'GET', place: 'openApiV2', accept: media.openApiV2 },
  { name: 'merge patch', method: 'PATCH', place: 'definition', type: media.merge, body: annotation },
  {
    name: 'merge patch of the schema',
    method: 'PATCH',
    place: 'definition',
    type: media.merge,
    body: changedSpec,
  },
  {
    name: 'apply of the definition',
    method: 'PATCH',
    place: 'definition',
    at: '?fieldManager=a&force=true',
    type: media.apply,
    body: whole,
  },
  { name: 'list after it', method: 'GET', place: 'objects' },
  { name: 'OpenAPI v3 after it', method: 'GET', place: 'openApi' },
  { name: 'OpenAPI v2 after it', method: 'GET', place: 'openApiV2' },
  {
    name: 'watch JSON',
    method: 'GET',
    place: 'definitions',
    at: '?watch=1&fieldSelector=metadata.name%3D',
    watched: 1_000_000,
  },
  { name: 'delete', method: 'DELETE', place: 'definition' },
];

/** Returns the requests of a large definition. */
export function definitionRows(definition: Definition): TurnRow[] {
  const { name } = definition.metadata;
  const { group, names } = definition.spec;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const places: Places = {
    definitions,
    definition: `${definitions}/${name}`,
    objects: `/apis/${group}/v1/namespaces/large/${names.plural}`,
    openApi: `/openapi/v3/apis/${group}/v1`,
    openApiV2: '/openapi/v2',
    openApiIndex: '/openapi/v3',
  };
  return rows.map(({ place, at = '', body, ...row }) => ({
    ...row,
    path: places[place] + at + (row.watched === undefined ? '' : name),
    ...(body !== undefined && { body: body(definition) }),
  }));
}
