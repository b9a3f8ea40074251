import { definitionOf } from '../../definition.ts';
import { group, textOf } from '../large-objects.ts';
import { post, range, remove, row, type RequestGroup } from './request-group.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const ruled = (rule: string) => ({ type: 'string', 'x-kubernetes-validations': [{ rule }] });
const pattern = (source: string) => ({ type: 'string', pattern: source });

/** Fields whose patterns and rules search long texts. */
const definition = definitionOf({
  group: `searches.${group}`,
  plural: 'searches',
  kind: 'Search',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          pattern: pattern('^[A-Za-z .]*$'),
          repeated: pattern('a[ab]{900}c'),
          matches: ruled('self.matches("^[A-Za-z .]*$")'),
          find: ruled('self.find("q[a-z ]{40}x") == ""'),
          all: ruled('self.findAll("[a-z]+").size() > 0'),
        },
      },
    },
  },
});

const text = textOf(1_000_000);
const values: [field: string, value: string, expected: number][] = [
  ['pattern', text, 201],
  ['repeated', `c${'ab'.repeat(50_000)}`, 422],
  ['matches', text, 201],
  ['find', text, 201],
  ['all', text, 201],
];

const folds = range(6000, () => '[1].all(x,x>0)').join('&&');
const longExpressions: [name: string, expression: string, expected?: number][] = [
  ['a list of 49,000', `[${range(49_000, () => '1').join(',')}] != []`],
  ['5,000 comparisons', range(5000, (i) => `object.a != ${i}`).join(' && ')],
  ['6,000 folds', folds],
  ['an error at the end', `${folds} 1`, 422],
];

/** A field with a long rule. */
const longRule = definitionOf({
  group: `rules.${group}`,
  plural: 'rules',
  kind: 'Rule',
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { a: ruled(folds) } } },
  },
});

export const searches: RequestGroup = {
  name: 'searches',
  rows: () => [
    row('definition', post(crds, definition), { waitMs: 500 }),
    ...values.map(([field, value, expected]) =>
      row(
        field,
        post(`/apis/searches.${group}/v1/namespaces/large/searches`, {
          apiVersion: `searches.${group}/v1`,
          kind: 'Search',
          metadata: { name: field },
          spec: { [field]: value },
        }),
        { expected },
      ),
    ),
    row('definition, delete', remove(`${crds}/${definition.metadata.name}`), { waitMs: 500 }),
    ...longExpressions.flatMap(([name, expression, expected = 201]) => [
      row(
        `expression, ${name}`,
        post(policies, {
          metadata: { name: 'searches' },
          spec: {
            matchConstraints: {
              resourceRules: [
                { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
              ],
            },
            validations: [{ expression }],
          },
        }),
        { expected },
      ),
      ...(expected === 201 ? [row('policy, delete', remove(`${policies}/searches`))] : []),
    ]),
    row('definition with a long rule', post(crds, longRule), { waitMs: 500 }),
    row(
      'its first object',
      post(`/apis/rules.${group}/v1/namespaces/large/rules`, {
        apiVersion: `rules.${group}/v1`,
        kind: 'Rule',
        metadata: { name: 'first' },
        spec: { a: 'a' },
      }),
    ),
    row('definition with a long rule, delete', remove(`${crds}/${longRule.metadata.name}`), { waitMs: 500 }),
    row(
      '32 long selectors',
      post('/apis/resource.k8s.io/v1/deviceclasses', {
        metadata: { name: 'long' },
        spec: {
          selectors: range(32, () => ({ cel: { expression: folds.slice(0, folds.indexOf('&', 10_000)) } })),
        },
      }),
    ),
    row('32 long selectors, delete', remove('/apis/resource.k8s.io/v1/deviceclasses/long')),
  ],
};
