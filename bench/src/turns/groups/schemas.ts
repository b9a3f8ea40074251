import { definitionOf } from '../../definition.ts';
import { byKey, group, textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { get, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ruleDefinition = definitionOf({
  group: `rules.${group}`,
  plural: 'exprs',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          items: { type: 'array', maxItems: 600, items: { type: 'string', maxLength: 20 } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          sets: {
            type: 'array',
            'x-kubernetes-list-type': 'set',
            items: {
              type: 'object',
              'x-kubernetes-map-type': 'atomic',
              properties: { a: { type: 'integer' } },
            },
          },
          text: { type: 'string', maxLength: 1_000_000 },
          pattern: { type: 'string', pattern: '^(a+)+$' },
          strict: { type: 'array', items: { type: 'integer', maximum: 1 } },
          defaults: {
            type: 'array',
            items: {
              type: 'object',
              default: {},
              properties: { a: { type: 'string', default: textOf(20) }, b: { type: 'integer', default: 1 } },
            },
          },
          choice: {
            type: 'array',
            items: {
              type: 'object',
              properties: { a: { type: 'integer' } },
              oneOf: range(5, (i) => ({ properties: { a: { minimum: i * 10, maximum: i * 10 + 9 } } })),
            },
          },
        },
        'x-kubernetes-validations': [
          { rule: '!has(self.items) || self.items.all(i, !self.items.exists(j, j == i + "x"))' },
          { rule: '!has(self.text) || !self.text.contains("zz")' },
          { rule: '!has(self.text) || self.text.matches("^[a-z ]*$") || true' },
          { rule: '!has(self.text) || self.text.split(" ").size() > 0' },
          { rule: '!has(self.text) || self.text.lowerAscii().replace("a", "bb").size() > 0' },
        ].slice(0, 1),
      },
    },
  },
});
const exprs = `/apis/rules.${group}/v1/namespaces/large/exprs`;
const expr = (name: string, spec: object) => ({
  apiVersion: `rules.${group}/v1`,
  kind: 'Expr',
  metadata: { name },
  spec,
});
export const schemas: RequestGroup = {
  name: 'schemas and rules',
  rows: () => [
    row('definition', post(crds, ruleDefinition), { waitMs: 500 }),
    // The cost limit ends the rule, as in kube-apiserver.
    row('rule of a square', post(exprs, expr('a', { items: range(600, (i) => `i${i}`) })), { expected: 422 }),
    row('more items than a rule has', post(exprs, expr('b', { items: range(3000, (i) => `i${i}`) })), {
      expected: 422,
    }),
    row('set of 90,000', post(exprs, expr('c', { set: range(90_000, (i) => `i${i}`) })), { expected: 413 }),
    row('set of 39,000', post(exprs, expr('c', { set: range(39_000, (i) => `i${i}`) }))),
    row('set of 30,000', post(exprs, expr('s', { set: range(30_000, (i) => `i${i}`) }))),
    row('set of 30,000 objects', post(exprs, expr('d', { sets: range(30_000, (i) => ({ a: i })) }))),
    row(
      'apply a set of 30,000',
      patch(
        `${exprs}/s?fieldManager=a&force=true`,
        media.apply,
        expr('s', { set: range(30_000, (i) => `i${i}`) }),
      ),
    ),
    // structured-merge-diff has no atomic maps in sets: neither of its versions can be applied.
    row(
      'apply to a set of 30,000 objects',
      patch(
        `${exprs}/d?fieldManager=a&force=true`,
        media.apply,
        expr('d', { sets: range(30_000, (i) => ({ a: i })) }),
      ),
      { expected: 500 },
    ),
    row('pattern', post(exprs, expr('e', { pattern: `${'a'.repeat(100_000)}b` })), { expected: 422 }),
    row('90,000 errors', post(exprs, expr('f', { strict: range(90_000, (i) => i + 2) })), { expected: 422 }),
    row('30,000 defaults', post(exprs, expr('g', { defaults: range(30_000, () => ({})) }))),
    row('10,000 choices', post(exprs, expr('h', { choice: range(10_000, (i) => ({ a: i % 50 })) }))),
    row('90,000 wrong types', post(exprs, expr('i', { items: range(90_000, (i) => i) })), { expected: 422 }),
    row('delete all', remove(exprs)),
    row('definition, delete', remove(`${crds}/${ruleDefinition.metadata.name}`), { waitMs: 500 }),
    row('1,000 definitions, OpenAPI v2', get('/openapi/v2'), {
      before: range(1000, (i) =>
        post(
          crds,
          definitionOf({
            group: `g${i}.many.example`,
            plural: 'things',
            schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: byKey(20, (j) => [`p${j}`, { type: 'string', description: textOf(50) }]),
                },
              },
            },
          }),
        ),
      ),
      waitMs: 2000,
    }),
    row('groups', get('/apis')),
    row('aggregated', get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')),
    row('OpenAPI v3 index', get('/openapi/v3')),
    row('OpenAPI v2 protobuf', get('/openapi/v2', media.openApiV2)),
    row('list of definitions', get(crds)),
    row('list as protobuf', get(crds, media.protobuf)),
    row('list as YAML', get(crds, media.yaml)),
    row('list as Table', get(crds, media.table)),
    row('APIServices', get('/apis/apiregistration.k8s.io/v1/apiservices')),
    row('delete', remove(`${crds}/things.g0.many.example`), {
      after: range(999, (i) => remove(`${crds}/things.g${i + 1}.many.example`)),
      waitMs: 3000,
    }),
  ],
};
