import { definitionOf } from '../../definition.ts';
import { byKey, group, textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { get, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const str = { type: 'string' };
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const nested = (depth: number): object =>
  depth === 0 ? object({ a: str }) : { type: 'object', additionalProperties: nested(depth - 1) };

const definition = definitionOf({
  group: `shapes.${group}`,
  plural: 'shapes',
  schema: object({
    spec: object({
      embedded: list({ ...free, 'x-kubernetes-embedded-resource': true }),
      keyed: list(object({ a: str, b: str, c: { type: 'integer' }, v: str }, { required: ['a', 'b', 'c'] }), {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a', 'b', 'c'],
      }),
      defaults: list(object(byKey(20, (i) => [`p${i}`, { type: 'integer', default: i }]))),
      long: list(object({ a: { type: 'string', default: textOf(10_000) } })),
      nulls: list(object(byKey(10, (i) => [`p${i}`, { type: 'integer' }]))),
      deep: nested(60),
      ratcheted: list(
        object(
          {
            k: str,
            v: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'x' }] },
          },
          { required: ['k'] },
        ),
        { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], maxItems: 20_000 },
      ),
    }),
  }),
});
const withColumns = definitionOf({
  group: `columns.${group}`,
  plural: 'columns',
  schema: object({ spec: object({ items: list(object({ name: str, status: str })) }) }),
});
Object.assign(withColumns.spec.versions[0] ?? {}, {
  additionalPrinterColumns: range(50, (i) => ({
    name: `C${i}`,
    type: 'string',
    jsonPath: i % 2 === 0 ? '.spec.items[*].name' : `.spec.items[?(@.name=="n${i}")].status`,
  })),
});
const shapes = `/apis/shapes.${group}/v1/namespaces/large/shapes`;
const columns = `/apis/columns.${group}/v1/namespaces/large/columns`;
const shape = (name: string, spec: object) => ({
  apiVersion: `shapes.${group}/v1`,
  kind: 'Shape',
  metadata: { name },
  spec,
});
const apply = (name: string, spec: object, manager = 'a') =>
  patch(`${shapes}/${name}?fieldManager=${manager}&force=true`, media.apply, shape(name, spec));
const embedded = (i: number) => ({
  apiVersion: 'v1',
  kind: 'P',
  metadata: { name: `n${i}`, labels: { a: 'b' } },
});
const keyed = (n: number, v = 'v') =>
  range(n, (i) => ({ a: `a${i % 100}`, b: `b${Math.floor(i / 100)}`, c: i, v }));

/** Unknown fields in a map in maps. */
const within = (depth: number, name: string): object =>
  depth === 0 ? byKey(1000, (i) => [`u${i}`, 1]) : { [name]: within(depth - 1, name) };

export const customShapes: RequestGroup = {
  name: 'shapes of custom resources',
  rows: () => [
    row('definition', post(crds, definition), { waitMs: 500 }),
    row('10,000 embedded', post(shapes, shape('a', { embedded: range(10_000, embedded) }))),
    row('10,000 embedded: patch', patch(`${shapes}/a`, media.merge, { metadata: { labels: { a: 'b' } } })),
    row('10,000 embedded: apply', apply('a', { embedded: range(10_000, embedded) })),
    row('10,000 embedded: get', get(`${shapes}/a`)),
    row(
      '20,000 embedded, invalid',
      post(
        shapes,
        shape('b', { embedded: range(20_000, () => ({ metadata: { name: '..', labels: { '-': '-' } } })) }),
      ),
      { expected: 422 },
    ),
    row(
      '30,000 embedded, unknown',
      post(
        `${shapes}?fieldValidation=Strict`,
        shape('b', { embedded: range(30_000, () => ({ apiVersion: 'v1', kind: 'P', metadata: { x: 1 } })) }),
      ),
      { expected: 400 },
    ),
    row(
      'embedded with 40,000 labels',
      post(
        shapes,
        shape('b', {
          embedded: [
            { apiVersion: 'v1', kind: 'P', metadata: { labels: byKey(40_000, (i) => [`l${i}`, 'x']) } },
          ],
        }),
      ),
    ),
    row(
      'embedded with a wide object',
      post(
        shapes,
        shape('b2', { embedded: [{ apiVersion: 'v1', kind: 'P', ...byKey(39_000, (i) => [`l${i}`, 'x']) }] }),
      ),
    ),
    row(
      '39,000 labels',
      post(shapes, {
        ...shape('b3', {}),
        metadata: { name: 'b3', labels: byKey(39_000, (i) => [`l${i}`, 'x']) },
      }),
    ),
    row('39,000 labels: patch', patch(`${shapes}/b3`, media.merge, { metadata: { labels: { a: 'b' } } })),
    row('10,000 keyed', post(shapes, shape('c', { keyed: keyed(10_000) }))),
    // With the managed fields of its keys it has more than the 1.5 MB of the store.
    row('apply 10,000 keyed', apply('c', { keyed: keyed(10_000) }), { expected: 500 }),
    row('apply 10,000 keyed by another', apply('c', { keyed: keyed(10_000, 'w') }, 'b'), { expected: 500 }),
    row('apply fewer', apply('c', { keyed: keyed(10, 'w') }, 'b')),
    row('patch keyed', patch(`${shapes}/c`, media.merge, { spec: { keyed: keyed(9000, 'x') } })),
    row('40,000 keyed, refused', post(shapes, shape('c2', { keyed: keyed(40_000) })), { expected: 500 }),
    row('duplicates', post(shapes, shape('c3', { keyed: range(40_000, () => ({ a: 'a', b: 'b', c: 1 })) })), {
      expected: 422,
    }),
    row('defaults of 20', post(shapes, shape('d', { defaults: range(6000, () => ({})) }))),
    row('defaults of 20, many', post(shapes, shape('d2', { defaults: range(90_000, () => ({})) })), {
      expected: 413,
    }),
    row('long defaults', post(shapes, shape('e', { long: range(90_000, () => ({})) })), { expected: 413 }),
    row('100 long defaults', post(shapes, shape('e', { long: range(100, () => ({})) }))),
    row('nulls', post(shapes, shape('f', { nulls: range(30_000, () => byKey(10, (i) => [`p${i}`, null])) }))),
    row('unknown, deep', post(shapes, shape('g', { deep: within(60, 'a') }))),
    row('unknown, deep and long', post(shapes, shape('g2', { deep: within(60, 'a'.repeat(20_000)) })), {
      expected: 500,
    }),
    row('ratcheted', post(shapes, shape('h', { ratcheted: range(10_000, (i) => ({ k: `k${i}`, v: 1 })) }))),
    row(
      'ratcheted, patch',
      patch(`${shapes}/h`, media.merge, {
        spec: { ratcheted: range(10_000, (i) => ({ k: `k${i}`, v: 2 })) },
      }),
    ),
    row(
      'ratcheted, invalid',
      patch(`${shapes}/h`, media.merge, {
        spec: { ratcheted: range(10_000, (i) => ({ k: `k${i}`, v: 1 })) },
      }),
      { expected: 422 },
    ),
    row('delete all', remove(shapes)),
    row('definition, delete', remove(`${crds}/${definition.metadata.name}`), { waitMs: 500 }),
    row('columns', post(crds, withColumns), { waitMs: 500 }),
    row(
      'columns: create',
      post(columns, {
        apiVersion: `columns.${group}/v1`,
        kind: 'Column',
        metadata: { name: 'a' },
        spec: { items: range(30_000, (i) => ({ name: `n${i}`, status: 's' })) },
      }),
    ),
    row('columns: get', get(`${columns}/a`, media.table)),
    row('columns: list', get(columns, media.table)),
    row('columns: delete', remove(`${crds}/${withColumns.metadata.name}`), { waitMs: 500 }),
  ],
};
