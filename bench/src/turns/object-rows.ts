import type { Body, Shape } from './large-objects.ts';
import { media, type TurnRow } from './turn-row.ts';

/** A request for the objects of a shape. */
interface ObjectRow extends Omit<TurnRow, 'path' | 'body'> {
  /** What follows after the path of the collection. */
  at: string;
  body?(shape: Shape): string;
  isForBuiltIn?: boolean;
}

const named =
  (name: string, edit: (body: Body, shape: Shape) => void = () => undefined) =>
  (shape: Shape): string => {
    const body = shape.build();
    body.metadata = { ...body.metadata, name };
    edit(body, shape);
    return JSON.stringify(body);
  };

const change = (body: Body, shape: Shape): void => shape.change(body);

const changedWithVersion = named('one', (body, shape) => {
  shape.change(body);
  body.metadata.resourceVersion = 'VERSION';
});

/** Returns the members of a changed object that say what it is, without its type. */
function changedMembers(shape: Shape): Record<string, unknown> {
  const { apiVersion: _version, kind: _kind, ...members } = shape.build();
  shape.change(members);
  return members;
}

const mergeOfAll = (shape: Shape): string =>
  JSON.stringify({ metadata: { annotations: { e: 'f' } }, ...changedMembers(shape) });

const jsonPatchOfAll = (shape: Shape): string =>
  JSON.stringify(
    Object.entries(changedMembers(shape)).map(([name, value]) => ({
      op: 'replace',
      path: `/${name}`,
      value,
    })),
  );

const strategicPatch = (shape: Shape): string =>
  JSON.stringify(shape.strategic?.() ?? { metadata: { annotations: { c: 'd' } } });

/** Objects that exist while lists are measured, and the bytes of each of them in a watch, at least. */
const [listed, watchedBytes] = [4, 400_000];
const watched = listed * watchedBytes;

const rows: readonly ObjectRow[] = [
  { name: 'create', method: 'POST', at: '', body: named('one') },
  { name: 'get JSON', method: 'GET', at: '/one' },
  { name: 'get JSON, gzip', method: 'GET', at: '/one', encoding: 'gzip' },
  { name: 'get YAML', method: 'GET', at: '/one', accept: media.yaml },
  { name: 'get protobuf', method: 'GET', at: '/one', accept: media.protobuf, isForBuiltIn: true },
  { name: 'get Table', method: 'GET', at: '/one', accept: media.table },
  { name: 'get metadata', method: 'GET', at: '/one', accept: media.metadata },
  {
    name: 'create dry run, strict',
    method: 'POST',
    at: '?dryRun=All&fieldValidation=Strict',
    body: named('dry'),
  },
  { name: 'create as YAML', method: 'POST', at: '', body: named('two'), type: media.yaml },
  { name: 'update', method: 'PUT', at: '/one', body: changedWithVersion, needsVersion: true },
  { name: 'update, nothing', method: 'PUT', at: '/one', body: changedWithVersion, needsVersion: true },
  {
    name: 'merge patch, annotation',
    method: 'PATCH',
    at: '/one',
    type: media.merge,
    body: () => '{"metadata":{"annotations":{"a":"b"}}}',
  },
  { name: 'merge patch, all', method: 'PATCH', at: '/one', type: media.merge, body: mergeOfAll },
  {
    name: 'JSON patch',
    method: 'PATCH',
    at: '/one',
    type: media.jsonPatch,
    body: () => '[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]',
  },
  { name: 'JSON patch, all', method: 'PATCH', at: '/one', type: media.jsonPatch, body: jsonPatchOfAll },
  {
    name: 'strategic patch',
    method: 'PATCH',
    at: '/one',
    type: media.strategic,
    body: strategicPatch,
    isForBuiltIn: true,
  },
  {
    name: 'apply, new',
    method: 'PATCH',
    at: '/three?fieldManager=a',
    type: media.apply,
    body: named('three'),
  },
  {
    name: 'apply, changed',
    method: 'PATCH',
    at: '/three?fieldManager=a',
    type: media.apply,
    body: named('three', change),
  },
  {
    name: 'apply, other manager',
    method: 'PATCH',
    at: '/three?fieldManager=b&force=true',
    type: media.apply,
    body: named('three'),
  },
  {
    name: 'apply, over updates',
    method: 'PATCH',
    at: '/one?fieldManager=a&force=true',
    type: media.apply,
    body: named('one'),
  },
  { name: 'create the fourth', method: 'POST', at: '', body: named('four') },
  { name: 'list JSON', method: 'GET', at: '' },
  { name: 'list YAML', method: 'GET', at: '', accept: media.yaml },
  { name: 'list protobuf', method: 'GET', at: '', accept: media.protobuf, isForBuiltIn: true },
  { name: 'list Table', method: 'GET', at: '', accept: media.table },
  { name: 'list metadata', method: 'GET', at: '', accept: media.metadataList },
  { name: 'list by field', method: 'GET', at: '?fieldSelector=metadata.name%3Done' },
  { name: 'list by label', method: 'GET', at: '?labelSelector=a%3Db' },
  { name: 'watch JSON', method: 'GET', at: '?watch=1', watched },
  {
    name: 'watch protobuf',
    method: 'GET',
    at: '?watch=1',
    watched,
    accept: media.protobuf,
    isForBuiltIn: true,
  },
  { name: 'watch Table', method: 'GET', at: '?watch=1', watched: 500, accept: media.table },
  { name: 'delete', method: 'DELETE', at: '/one' },
  { name: 'delete all', method: 'DELETE', at: '' },
];

/** Returns the requests of one shape, which create objects and delete them. */
export const objectRows = (shape: Shape): TurnRow[] =>
  rows
    .filter(({ isForBuiltIn }) => isForBuiltIn !== true || shape.isBuiltIn)
    .map(({ at, body, isForBuiltIn: _, ...row }) => ({
      ...row,
      path: `${shape.path}${at}`,
      ...(body !== undefined && { body: body(shape) }),
    }));
