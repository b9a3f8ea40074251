import type { Attributes } from '@annex/auth';
import { describe, expect, it } from 'vitest';
import { parseAuditPolicy } from './audit-policy.ts';

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

const requested = (provided: Partial<Attributes> = {}): Attributes => ({
  user: { name: 'eve', groups: ['dev', 'system:authenticated'], extra: {} },
  verb: 'get',
  resourceRequest: true,
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'ns',
  name: 'p',
  path: '',
  ...provided,
});

const atPath = (path: string) =>
  requested({ resourceRequest: false, resource: '', namespace: '', name: '', path });

describe('a policy', () => {
  const cases: [what: string, rule: string, attributes: Attributes, fits: boolean][] = [
    ['without conditions matches everything', '', requested(), true],
    ['without conditions matches paths', '', atPath('/version'), true],
    ['names users', 'users: [bob, eve]', requested(), true],
    ['does not match other users', 'users: [bob]', requested(), false],
    ['names groups', 'userGroups: [ops, dev]', requested(), true],
    ['does not match other groups', 'userGroups: [ops]', requested(), false],
    ['names verbs', 'verbs: [get]', requested(), true],
    ['requires all of its conditions', 'verbs: [list], users: [eve]', requested(), false],
    ['names namespaces', 'namespaces: [ns]', requested(), true],
    ['names cluster-scoped objects', 'namespaces: [""]', requested({ namespace: '' }), true],
    ['for namespaces does not match paths', 'namespaces: [""]', atPath('/version'), false],
    ['names API groups', 'resources: [{group: apps}, {group: ""}]', requested(), true],
    ['does not match other API groups', 'resources: [{group: apps}]', requested(), false],
    ['names every group', 'resources: [{group: "*", resources: [pods]}]', requested(), true],
    ['names resources', 'resources: [{resources: [pods]}]', requested(), true],
    [
      'for a resource does not match its subresources',
      'resources: [{resources: [pods]}]',
      requested({ subresource: 'log' }),
      false,
    ],
    ['names a subresource', 'resources: [{resources: [pods/log]}]', requested({ subresource: 'log' }), true],
    [
      'names all subresources of a resource',
      'resources: [{resources: [pods/*]}]',
      requested({ subresource: 'log' }),
      true,
    ],
    [
      'names a subresource of all resources',
      'resources: [{resources: ["*/log"]}]',
      requested({ subresource: 'log' }),
      true,
    ],
    ['names every resource', 'resources: [{resources: ["*"]}]', requested({ subresource: 'log' }), true],
    ['names objects', 'resources: [{resources: [pods], resourceNames: [p]}]', requested(), true],
    [
      'does not match other objects',
      'resources: [{resources: [pods], resourceNames: [q]}]',
      requested(),
      false,
    ],
    ['names a path', 'nonResourceURLs: [/version]', atPath('/version'), true],
    ['names paths by prefix', 'nonResourceURLs: [/ver*]', atPath('/version/x'), true],
    ['names every path', 'nonResourceURLs: ["*"]', atPath('/x'), true],
    ['for paths does not match resources', 'nonResourceURLs: ["*"]', requested(), false],
  ];

  it.each(cases)('%s', async (_what, rule, provided, fits) => {
    const { decide } = await parseAuditPolicy(`${head}rules:\n- {level: Request, ${rule}}\n`);
    expect(decide(provided).level).toBe(fits ? 'Request' : 'None');
  });

  it('applies the first matching rule, without the stages that the rule or the policy omits', async () => {
    const { decide } = await parseAuditPolicy(`${head}
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: None, users: [bob]}
- {level: Metadata, verbs: [get], omitStages: [Panic], omitManagedFields: false}
- level: RequestResponse
`);
    expect(decide(requested())).toEqual({
      level: 'Metadata',
      omitStages: new Set(['RequestReceived', 'Panic']),
      omitManagedFields: false,
    });
    expect(decide(requested({ verb: 'list' }))).toEqual({
      level: 'RequestResponse',
      omitStages: new Set(['RequestReceived']),
      omitManagedFields: true,
    });
  });
});

const refusals: [what: string, text: string, why: string][] = [
  ['that is not a policy', 'kind: Other', 'unknown group version field /, Kind=Other in policy'],
  ['without rules', `${head}rules: []`, 'loaded illegal policy with 0 rules'],
  [
    'with values instead of lists',
    `${head}rules: [{level: None, users: x}]`,
    'failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.users of type []string',
  ],
  [
    'with a level that is not a string',
    `${head}rules: [{level: [None]}]`,
    'failed decoding: json: cannot unmarshal array into Go struct field PolicyRule.rules.level of type v1.Level',
  ],
  [
    'with a group that is not a string',
    `${head}rules: [{level: None, resources: [{group: {a: 1}}]}]`,
    'failed decoding: json: cannot unmarshal object into Go struct field GroupResources.rules.resources.group of type string',
  ],
  [
    'with an invalid boolean',
    `${head}rules: [{level: None, omitManagedFields: "false"}]`,
    'failed decoding: json: cannot unmarshal string into Go struct field PolicyRule.rules.omitManagedFields of type bool',
  ],
  [
    'with many errors',
    `${head}
rules:
- level: Bad
- nonResourceURLs: [x, '/a*b', '*']
  resources: [{group: 'A/b', resourceNames: [x]}]
  level: ''
omitStages: [Foo]
`,
    '[omitStages[0]: Invalid value: "Foo": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, ' +
      'rules[0].level: Unsupported value: "Bad": supported values: "None", "Metadata", "Request", "RequestResponse", ' +
      'rules[1].level: Required value, rules[1].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin ' +
      "with a '/' character, rules[1].nonResourceURLs[1]: Invalid value: \"/a*b\": non-resource URL wildcards '*' must be " +
      'the final character of the rule, rules[1].resources.group: Invalid value: "A/b": a lowercase RFC 1123 subdomain must ' +
      "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
      "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), " +
      'rules[1].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at least one resource, ' +
      'rules[1].nonResourceURLs: Invalid value: ["x","/a*b","*"]: rules cannot apply to both regular resources and ' +
      'non-resource URLs]',
  ],
];

it.each(refusals)("a policy %s is refused with kube-apiserver's message", async (_what, text, why) => {
  await expect(parseAuditPolicy(text)).rejects.toThrow(new Error(why));
});
