import { definitionOf } from '../../definition.ts';
import { byKey, group } from '../large-objects.ts';
import { media, type TurnRow } from '../turn-row.ts';
import { get, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** What a definition has besides its schema. */
interface Shape {
  versions?: readonly string[];
  /** Further fields of its names, and of its versions. */
  names?: object;
  version?: object;
}

function shaped(plural: string, schema: object, { versions = ['v1'], names, version }: Shape): object {
  const { spec, ...definition } = definitionOf({ group: `${plural}.${group}`, plural, schema, versions });
  return {
    ...definition,
    spec: {
      ...spec,
      names: { ...spec.names, ...names },
      versions: spec.versions.map((each) => ({ ...each, ...version })),
    },
  };
}

/** The life of a definition; it is refused if it is not created. */
function crdRows(name: string, plural: string, schema: object, expected = 201, shape: Shape = {}): TurnRow[] {
  const named = `${crds}/${plural}.${plural}.${group}`;
  const create = row(name, post(crds, shaped(plural, schema, shape)), { waitMs: 500, expected });
  if (expected !== 201) return [create];
  const first = {
    apiVersion: `${plural}.${group}/v1`,
    kind: `${plural.slice(0, 1).toUpperCase()}${plural.slice(1, -1)}`,
    metadata: { name: 'a' },
    spec: {},
  };
  return [
    create,
    row(`${name}: patch`, patch(named, media.merge, { metadata: { labels: { a: 'b' } } }), { waitMs: 500 }),
    row(`${name}: OpenAPI`, get(`/openapi/v3/apis/${plural}.${group}/v1`)),
    row(`${name}: first object`, post(`/apis/${plural}.${group}/v1/namespaces/large/${plural}`, first), {
      expected: ['requires', 'ones', 'musts', 'rules'].includes(plural) ? 422 : 201,
    }),
    row(`${name}: delete`, remove(named), { waitMs: 500 }),
  ];
}

const nest = (depth: number, leaf: object): object =>
  depth === 0 ? leaf : object({ ['a'.repeat(5000)]: nest(depth - 1, leaf) });
/** Definitions with very many parts of one sort. */
export const definitionShapes: RequestGroup = {
  name: 'shapes of definitions',
  rows: () => [
    ...crdRows(
      'enum of 50,000',
      'enums',
      object({ spec: object({ a: { type: 'string', enum: range(50_000, (i) => `e${i}`) } }) }),
    ),
    ...crdRows(
      'oneOf of 10,000',
      'ones',
      object({
        spec: object(
          { a: { type: 'string' } },
          { oneOf: range(10_000, (i) => ({ properties: { a: { pattern: `a${i}` } } })) },
        ),
      }),
    ),
    ...crdRows(
      'required of 50,000',
      'requires',
      object({
        spec: object(
          {},
          { 'x-kubernetes-preserve-unknown-fields': true, required: range(50_000, (i) => `e${i}`) },
        ),
      }),
    ),
    ...crdRows(
      'default of 500 kB',
      'defaults',
      object({
        spec: object({
          a: {
            type: 'array',
            items: object({ x: { type: 'integer', default: 1 } }),
            default: range(50_000, (i) => ({ x: i })),
          },
        }),
      }),
    ),
    ...crdRows(
      'default of 1,000 items, 100 choices',
      'manys',
      object({
        spec: object({
          a: {
            type: 'array',
            items: object(
              { x: { type: 'integer' } },
              { oneOf: range(100, (i) => ({ properties: { x: { minimum: i, maximum: i } } })) },
            ),
            default: range(1000, (i) => ({ x: i % 100 })),
          },
        }),
      }),
    ),
    ...crdRows('columns of 5,000', 'columns', object({ spec: object({ a: { type: 'string' } }) }), 201, {
      version: {
        additionalPrinterColumns: range(5000, (i) => ({
          name: `C${i}`,
          type: 'string',
          jsonPath: `.spec.a[?(@.x=="${i}")]`,
        })),
      },
    }),
    ...crdRows('short names of 50,000', 'names', object({ spec: object({ a: { type: 'string' } }) }), 201, {
      names: { shortNames: range(50_000, (i) => `n${i}`) },
    }),
    ...crdRows('versions of 1,000', 'versions', object({ spec: object({ a: { type: 'string' } }) }), 201, {
      versions: range(1000, (i) => (i === 0 ? 'v1' : `v1alpha${i}`)),
    }),
    ...crdRows(
      'list keys of 10,000',
      'keys',
      object({
        spec: object({
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': range(10_000, (i) => `k${i}`),
            items: object(byKey(10_000, (i) => [`k${i}`, { type: 'string', default: 'x' }])),
          },
        }),
      }),
    ),
    ...crdRows(
      'rules of 5,000',
      'rules',
      object({
        spec: object(
          { a: { type: 'string', maxLength: 5 } },
          { 'x-kubernetes-validations': range(5000, (i) => ({ rule: `self.a != "${i}"` })) },
        ),
      }),
    ),
    ...crdRows(
      'a rule on 10,000 required',
      'musts',
      object({
        spec: object(
          byKey(10_000, (i) => [`f${i}`, { type: 'string' }]),
          { required: range(10_000, (i) => `f${i}`), 'x-kubernetes-validations': [{ rule: 'has(self.f1)' }] },
        ),
      }),
    ),
    ...crdRows(
      'nested 80 with long names',
      'nests',
      object({ spec: nest(80, { type: 'object', 'x-bad': 1, ...byKey(2000, (i) => [`u${i}`, 1]) }) }),
    ),
    ...crdRows(
      'invalid, nested',
      'bads',
      object({ spec: nest(80, object(byKey(3000, (i) => [`u${i}`, { type: 'bad' }]))) }),
      422,
    ),
  ],
};
