import { mandatoryLevels, mandatorySchemas } from '@annex/flow-control';
import { FieldPath, fieldErrorText, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import type { Check } from '../shared/checks.ts';
import { checkFlowSchema } from './flowschemas/validation.ts';
import { checkPriorityLevel } from './prioritylevelconfigurations/validation.ts';
import { conditionedStatus } from './shared/status.ts';

const errors = (check: Check, object: unknown): string[] => check(object, FieldPath.root).map(fieldErrorText);

const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['a'] };
const user = { kind: 'User', user: { name: 'jane' } };
const schema = (spec: object, name = 's') => ({
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 9, ...spec },
});
const withSubject = (subject: object) => schema({ rules: [{ subjects: [subject], resourceRules: [rule] }] });
const withRule = (changes: object) =>
  schema({ rules: [{ subjects: [user], resourceRules: [{ ...rule, ...changes }] }] });
const withUrl = (...nonResourceURLs: string[]) =>
  schema({ rules: [{ subjects: [user], nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] }] });
const verbs =
  'supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"';

// The texts are those of k8s.io/kubernetes/pkg/apis/flowcontrol/validation.
it.each<[string, object, string[]]>([
  ['a complete FlowSchema', withSubject(user), []],
  [
    'a precedence of 0',
    schema({ matchingPrecedence: 0 }),
    ['spec.matchingPrecedence: Invalid value: 0: must be a positive value'],
  ],
  [
    'a precedence of 10001',
    schema({ matchingPrecedence: 10_001 }),
    ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
  ],
  [
    'a precedence of 1',
    schema({ matchingPrecedence: 1 }),
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ],
  [
    'no priority level',
    schema({ priorityLevelConfiguration: { name: '' } }),
    ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
  ],
  [
    'no subjects',
    schema({ rules: [{ subjects: [], resourceRules: [rule] }] }),
    ['spec.rules[0].subjects: Required value: subjects must contain at least one value'],
  ],
  [
    'no rules',
    schema({ rules: [{ subjects: [user] }] }),
    ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
  ],
  [
    'an unknown kind of subject',
    withSubject({ kind: 'Robot' }),
    [
      'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
    ],
  ],
  [
    'a user without details',
    withSubject({ kind: 'User' }),
    ["spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'"],
  ],
  [
    'a user with a group',
    withSubject({ ...user, group: { name: 'g' } }),
    ["spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
  ],
  [
    'a service account without namespace',
    withSubject({ kind: 'ServiceAccount', serviceAccount: { name: '*' } }),
    [
      'spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account',
    ],
  ],
  [
    'no verbs',
    withRule({ verbs: [] }),
    ['spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value'],
  ],
  [
    'an unknown verb',
    withRule({ verbs: ['fly'] }),
    [`spec.rules[0].resourceRules[0].verbs: Unsupported value: ["fly"]: ${verbs}`],
  ],
  [
    'a wildcard beside another verb',
    withRule({ verbs: ['*', 'get'] }),
    [
      'spec.rules[0].resourceRules[0].verbs: Invalid value: ["*","get"]: if \'*\' is present, must not specify other verbs',
    ],
  ],
  [
    'no namespaces',
    withRule({ namespaces: [] }),
    [
      'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
    ],
  ],
  ['only objects without namespace', withRule({ namespaces: [], clusterScope: true }), []],
  [
    'a path without slash',
    withUrl('x'),
    ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "x": must start with slash'],
  ],
  [
    'a wildcard inside of a path',
    withUrl('/a/*/b'),
    [
      'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a/*/b": wildcard can only do suffix matching',
    ],
  ],
  ['a wildcard at the end of a path', withUrl('/a/*'), []],
])('FlowSchema: %s', (_what, object, expected) => expect(errors(checkFlowSchema, object)).toEqual(expected));

const level = (spec: object, name = 'l') => ({ metadata: { name }, spec });
const limited = (changes: object) =>
  level({ type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...changes } });
const queuing = (changes: object) =>
  limited({
    limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 2, queueLengthLimit: 5, ...changes } },
  });
const atQueuing = 'spec.limited.limitResponse.queuing';

it.each<[string, object, string[]]>([
  ['a level that refuses', limited({}), []],
  ['a level with queues', queuing({}), []],
  ['no type', level({}), ['spec.type: Required value']],
  [
    'an unknown type',
    level({ type: 'X' }),
    ['spec.type: Unsupported value: "X": supported values: "Exempt", "Limited"'],
  ],
  [
    'another exempt level',
    level({ type: 'Exempt' }),
    ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
  ],
  [
    'limited without details',
    level({ type: 'Limited' }),
    ['spec.limited: Required value: must not be empty when type is Limited'],
  ],
  [
    'queues without details',
    limited({ limitResponse: { type: 'Queue' } }),
    [`${atQueuing}: Required value: must not be empty if limited.limitResponse.type is Limited`],
  ],
  [
    'a refusing level with queues',
    limited({ limitResponse: { type: 'Reject', queuing: {} } }),
    [`${atQueuing}: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
  ],
  [
    'negative shares',
    limited({ nominalConcurrencyShares: -1 }),
    ['spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer'],
  ],
  [
    'more than all of it lent',
    limited({ lendablePercent: 101 }),
    ['spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive'],
  ],
  [
    'no queues',
    queuing({ queues: -1 }),
    [
      `${atQueuing}.queues: Invalid value: -1: must be positive`,
      `${atQueuing}.handSize: Invalid value: 2: should not be greater than queues (-1)`,
    ],
  ],
  [
    'a hand of too many bits',
    queuing({ queues: 1024, handSize: 7 }),
    [
      `${atQueuing}.handSize: Invalid value: 7: required entropy bits of deckSize 1024 and handSize 7 should not be greater than 60`,
    ],
  ],
])('PriorityLevelConfiguration: %s', (_what, object, expected) =>
  expect(errors(checkPriorityLevel, object)).toEqual(expected),
);

it('mandatory objects have fixed specs, except for the shares of the level `exempt`', () => {
  for (const { name, spec } of mandatorySchemas) {
    expect(errors(checkFlowSchema, schema(spec, name))).toEqual([]);
    expect(errors(checkFlowSchema, schema({ ...spec, rules: [] }, name))[0]).toContain(
      `spec of '${name}' must equal the fixed value`,
    );
  }
  for (const { name, spec } of mandatoryLevels)
    expect(errors(checkPriorityLevel, level(spec, name))).toEqual([]);
  const more = { type: 'Exempt', exempt: { nominalConcurrencyShares: 9, lendablePercent: 0 } };
  expect(errors(checkPriorityLevel, level(more, 'exempt'))).toEqual([]);
});

it('conditions of a status have types, which differ', () => {
  const updated = { metadata: {}, status: { conditions: [{ type: 'a' }, {}, { type: 'a' }, {}] } };
  expect(conditionedStatus.validate(updated as KubeObject).map(fieldErrorText)).toEqual([
    'status.conditions[1].type: Required value',
    'status.conditions[2].type: Duplicate value: "a"',
    'status.conditions[3].type: Duplicate value: ""',
    'status.conditions[3].type: Required value',
  ]);
});
