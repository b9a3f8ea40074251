import { definitionOf } from '../../definition.ts';
import { byKey, group } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const integer = { type: 'integer' };
const listOf = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const objectOf = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

/** The greatest number in a list; a definition with a lower one makes stored objects invalid. */
const definition = (maximum: number) =>
  definitionOf({
    group: `checks.${group}`,
    plural: 'checks',
    schema: objectOf({
      spec: objectOf({
        choices: listOf(
          objectOf(
            { a: integer },
            { oneOf: range(20, (i) => ({ properties: { a: { minimum: i, maximum: i } } })) },
          ),
        ),
        none: listOf({
          type: 'string',
          anyOf: range(50, (i) => ({ pattern: `^p${i}$` })),
        }),
        not: listOf(
          objectOf({ a: integer }, { not: { anyOf: range(20, (i) => ({ required: [`r${i}`] })) } }),
        ),
        wide: listOf(objectOf(byKey(1000, (i) => [`f${i}`, integer]))),
        required: listOf(objectOf({ a: integer }, { required: range(5000, (i) => `r${i}`) })),
        enum: listOf({ type: 'integer', enum: range(5000, (i) => i) }),
        ports: listOf(
          objectOf({ port: integer, protocol: { type: 'string' } }, { required: ['port', 'protocol'] }),
          {
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'protocol'],
          },
        ),
        limited: listOf(
          objectOf({ name: { type: 'string' }, n: { type: 'integer', maximum } }, { required: ['name'] }),
          {
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
          },
        ),
        deep: range(98, (i) => i).reduce<object>((items) => listOf(items), { type: 'integer', maximum: 1 }),
        nested: {
          ...integer,
          ...range(12, (i) => i).reduce<object>((branch) => ({ anyOf: [branch, branch] }), { minimum: 1 }),
        },
        formats: listOf({ type: 'string', format: 'date-time' }),
        whole: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          oneOf: range(20, (i) => ({
            properties: { items: { items: { properties: { a: { maximum: i } } } } },
          })),
        },
      }),
    }),
  });
const path = `/apis/checks.${group}/v1/namespaces/large/checks`;
const named = (name: string, spec: object) => ({
  apiVersion: `checks.${group}/v1`,
  kind: 'Check',
  metadata: { name },
  spec,
});
const limited = range(8_000, (i) => ({ name: `i${i}`, n: 9 }));
const stricter = patch(`${crds}/${definition(9).metadata.name}`, media.merge, {
  spec: { versions: definition(5).spec.versions },
});

const chain = (depth: number, items: unknown): unknown => (depth === 0 ? items : [chain(depth - 1, items)]);

/** Schemas whose checks multiply with the items of an object. */
export const schemaChecks: RequestGroup = {
  name: 'schema checks',
  rows: () => [
    row('definition', post(crds, definition(9)), { waitMs: 500 }),
    row('60,000 choices of 20', post(path, named('a', { choices: range(60_000, (i) => ({ a: i % 20 })) }))),
    row('50,000 without a choice', post(path, named('b', { choices: range(50_000, () => ({ a: 99 })) })), {
      expected: 422,
    }),
    row('20,000 texts, 50 patterns', post(path, named('c', { none: range(20_000, (i) => `p${i % 50}`) }))),
    row('20,000 texts, no pattern', post(path, named('c2', { none: range(20_000, (i) => `q${i % 50}`) })), {
      expected: 422,
    }),
    row('50,000 without 20', post(path, named('d', { not: range(50_000, () => ({ a: 1 })) }))),
    row('50,000 of 1,000 fields', post(path, named('e', { wide: range(50_000, () => ({ f1: 1 })) }))),
    row('50,000 without required', post(path, named('f', { required: range(50_000, () => ({ a: 1 })) })), {
      expected: 422,
    }),
    row('100,000 of 5,000 values', post(path, named('g', { enum: range(100_000, (i) => i % 5000) }))),
    row('100,000 of no value', post(path, named('h', { enum: range(100_000, () => 9999) })), {
      expected: 422,
    }),
    row(
      '10,000 ports',
      post(path, named('i', { ports: range(10_000, (i) => ({ port: i, protocol: 'TCP' })) })),
    ),
    row(
      '30,000 equal ports',
      post(path, named('j', { ports: range(30_000, () => ({ port: 1, protocol: 'TCP' })) })),
      {
        expected: 422,
      },
    ),
    row('40,000 times', post(path, named('k', { formats: range(40_000, () => '2026-01-02T03:04:05Z') }))),
    row(
      'an object, 20 choices',
      post(path, named('l', { whole: { items: range(50_000, () => ({ a: 19 })) } })),
    ),
    row('an integer, 4,096 choices', post(path, named('n', { nested: 0 })), { expected: 422 }),
    row(
      '8,000 wrong ones below 98 lists',
      post(
        path,
        named('o', {
          deep: chain(
            97,
            range(8000, () => 9),
          ),
        }),
      ),
      {
        expected: 422,
      },
    ),
    row(
      '500 chains of 97 lists',
      post(
        path,
        named('p', {
          deep: range(500, () =>
            chain(
              96,
              range(30, () => 1),
            ),
          ),
        }),
      ),
    ),
    row('8,000 with a limit', post(path, named('m', { limited }))),
    row('definition, stricter', stricter, { waitMs: 500 }),
    row(
      'update of 8,000 that were valid',
      patch(`${path}/m`, media.merge, { spec: { ports: [{ port: 1, protocol: 'UDP' }] } }),
    ),
    row(
      'and of one',
      patch(`${path}/m`, media.merge, { spec: { limited: [...limited.slice(1), { name: 'i0', n: 8 }] } }),
      { expected: 422 },
    ),
    row('delete all', remove(path), { waitMs: 2000 }),
    row('definition, delete', remove(`${crds}/${definition(9).metadata.name}`), { waitMs: 3000 }),
  ],
};
