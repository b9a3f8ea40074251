import { byKey, textOf } from '../large-objects.ts';
import type { TurnRow } from '../turn-row.ts';
import { core, maps, post, range, remove, row } from './request-group.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';
const onConfigMaps = [
  { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
];

/** Policies with very many bindings and parameters. */
export const policyRows = (): TurnRow[] => [
  row('policy with 2,000 bindings', post(`${maps}?dryRun=All`, { metadata: { name: 'p' } }), {
    before: [
      post(`${admission}/validatingadmissionpolicies`, {
        metadata: { name: 'many' },
        spec: {
          matchConstraints: { resourceRules: onConfigMaps },
          validations: [{ expression: 'object.metadata.name != "x"' }],
          auditAnnotations: [{ key: 'a', valueExpression: 'string(object.metadata.name)' }],
        },
      }),
      ...range(2000, (i) =>
        post(`${admission}/validatingadmissionpolicybindings`, {
          metadata: { name: `b${i}` },
          spec: {
            policyName: 'many',
            validationActions: ['Audit'],
            matchResources: {
              namespaceSelector: {
                matchExpressions: [{ key: 'a', operator: 'NotIn', values: range(200, (j) => `v${j}`) }],
              },
            },
          },
        }),
      ),
    ],
    waitMs: 500,
  }),
  row('policy, again', post(`${maps}?dryRun=All`, { metadata: { name: 'p' } })),
  row(
    'policy, big',
    post(`${maps}?dryRun=All`, {
      metadata: { name: 'p' },
      data: byKey(5000, (i) => [`k${i}`, textOf(100)]),
    }),
  ),
  row('policy, delete', remove(`${admission}/validatingadmissionpolicybindings/b0`), {
    after: [
      ...range(1999, (i) => remove(`${admission}/validatingadmissionpolicybindings/b${i + 1}`)),
      remove(`${admission}/validatingadmissionpolicies/many`),
    ],
  }),
  row('mutating policy with 500 bindings', post(`${maps}?dryRun=All`, { metadata: { name: 'p' } }), {
    before: [
      post(`${admission}/mutatingadmissionpolicies`, {
        metadata: { name: 'many' },
        spec: {
          matchConstraints: { resourceRules: onConfigMaps },
          reinvocationPolicy: 'Never',
          mutations: [
            {
              patchType: 'ApplyConfiguration',
              applyConfiguration: {
                expression: 'Object{metadata: Object.metadata{annotations: {"a": "b"}}}',
              },
            },
          ],
        },
      }),
      ...range(500, (i) =>
        post(`${admission}/mutatingadmissionpolicybindings`, {
          metadata: { name: `b${i}` },
          spec: { policyName: 'many' },
        }),
      ),
    ],
    waitMs: 500,
  }),
  row('mutating policy, again', post(`${maps}?dryRun=All`, { metadata: { name: 'p' } }), {
    after: [
      ...range(500, (i) => remove(`${admission}/mutatingadmissionpolicybindings/b${i}`)),
      remove(`${admission}/mutatingadmissionpolicies/many`),
    ],
  }),
  row('policy with 5,000 parameters', post(`${maps}?dryRun=All`, { metadata: { name: 'p' } }), {
    before: [
      ...range(5000, (i) =>
        post(`${core}/secrets`, { metadata: { name: `p${i}`, labels: { a: 'b' } }, stringData: { a: 'b' } }),
      ),
      post(`${admission}/validatingadmissionpolicies`, {
        metadata: { name: 'params' },
        spec: {
          paramKind: { apiVersion: 'v1', kind: 'Secret' },
          matchConstraints: { resourceRules: onConfigMaps },
          validations: [{ expression: 'object.metadata.name != params.metadata.name' }],
        },
      }),
      post(`${admission}/validatingadmissionpolicybindings`, {
        metadata: { name: 'params' },
        spec: {
          policyName: 'params',
          validationActions: ['Deny'],
          paramRef: { selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Deny' },
        },
      }),
    ],
    waitMs: 500,
    after: [
      remove(`${admission}/validatingadmissionpolicybindings/params`),
      remove(`${admission}/validatingadmissionpolicies/params`),
      remove(`${core}/secrets?labelSelector=a%3Db`),
    ],
  }),
];
