import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics, fixedText, type LiveText } from '@annex/runtime';
import { FakeClock, tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../configuration-file.ts';
import type { RbacAuthorizer } from '../rbac-authorizer.ts';
import { ask, userOf } from '../rbac.fixture.ts';
import { openAuthorizerChain } from './open-chain.ts';

const rbac: RbacAuthorizer = {
  name: 'RBAC',
  authorize: ({ user }) => ({ decision: user.name === 'bob' ? 'allow' : 'noOpinion', reason: 'rbac' }),
  start: () => Promise.resolve(),
  rulesFor: () =>
    Promise.resolve({
      rules: [{ verbs: ['get'] }],
      compiled: [],
      problems: ['role not found'],
      dangling: [],
    }),
  roleRules: () => Promise.resolve({ rules: [], compiled: [], problems: [], dangling: [] }),
};

const logged: string[] = [];
const log = {
  info: (text: string) => void logged.push(text),
  error: (text: string) => void logged.push(text),
};
const metrics = createMetrics();
const deps = { rbac, clock: new FakeClock(), log, metrics, policyFile: undefined };

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n';
const open = (text: string) => openAuthorizerChain(fixedText(text), deps);

const kubeconfig = `
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: x, context: {cluster: c}}]
current-context: x
`;

const webhook = (file: string, more = '') => `${head}authorizers:
- type: Webhook
  name: w
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${file}}
${more}`;

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const loading = 'failed to load AuthorizationConfiguration from file: ';

const refusals: [what: string, text: string, why: string][] = [
  ['that is empty', '', 'authorizers: Required value: at least one authorization mode must be defined'],
  [
    'without authorizers',
    head,
    'authorizers: Required value: at least one authorization mode must be defined',
  ],
  [
    'of another kind',
    'apiVersion: apiserver.config.k8s.io/v1\nkind: Foo\n',
    `${loading}no kind "Foo" is registered for version "apiserver.config.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [
    'with unknown fields',
    `${head}authorizers: [{type: RBAC, name: rbac, foo: 1}]\nbar: 2\n`,
    `${loading}strict decoding error: unknown field "authorizers[0].foo", unknown field "bar"`,
  ],
  ['without a type', `${head}authorizers: [{name: rbac}]`, 'authorizers[0].type: Required value'],
  [
    'of an unknown type',
    `${head}authorizers: [{type: Foo, name: foo}]`,
    'authorizers[0].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
  ],
  [
    'with a type twice',
    `${head}authorizers: [{type: RBAC, name: rbac}, {type: RBAC, name: rbac2}]`,
    'authorizers[1].type: Duplicate value: "RBAC"',
  ],
  ['without a name', `${head}authorizers: [{type: RBAC}]`, 'authorizers[0].name: Required value'],
  [
    'with an invalid name',
    `${head}authorizers: [{type: RBAC, name: "A B"}]`,
    `authorizers[0].name: Invalid value: "A B": authorizer name is invalid: ${subdomain}`,
  ],
  [
    'with other names than the types have',
    `${head}authorizers: [{type: RBAC, name: other},{type: AlwaysAllow, name: x}]`,
    '[expected name rbac for authorizer RBAC instead of other, expected name alwaysallow for authorizer AlwaysAllow instead of x]',
  ],
  [
    'with an invalid webhook',
    `${head}authorizers: [{type: RBAC, name: rbac, webhook: {}}]`,
    'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
  ],
  [
    'without the webhook',
    `${head}authorizers: [{type: Webhook, name: w}]`,
    'authorizers[0].webhook: Required value: required when type=Webhook',
  ],
  [
    'with an empty webhook',
    `${head}authorizers: [{type: Webhook, name: w, webhook: {}}]`,
    '[authorizers[0].timeout: Required value, authorizers[0].subjectAccessReviewVersion: Required value, ' +
      'authorizers[0].failurePolicy: Required value, authorizers[0].connectionInfo.type: Required value]',
  ],
  [
    'with invalid values',
    `${head}authorizers:
- type: Webhook
  name: w
  webhook:
    timeout: 31s
    authorizedTTL: -1s
    unauthorizedTTL: -5m
    subjectAccessReviewVersion: v2
    matchConditionSubjectAccessReviewVersion: v1beta1
    failurePolicy: Ignore
    connectionInfo: {type: Foo}
`,
    '[authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s, ' +
      'authorizers[0].authorizedTTL: Invalid value: "-1s": must be > 0s, ' +
      'authorizers[0].unauthorizedTTL: Invalid value: "-5m0s": must be > 0s, ' +
      'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1", ' +
      'authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1", ' +
      'authorizers[0].failurePolicy: Unsupported value: "Ignore": supported values: "NoOpinion", "Deny", ' +
      'authorizers[0].connectionInfo.type: Unsupported value: {"Type":"Foo","KubeConfigFile":null}: supported values: ' +
      '"InClusterConfig", "KubeConfigFile"]',
  ],
  [
    'with a duration of an unknown unit',
    webhook('/x').replace('3s', '3x'),
    `${loading}time: unknown unit "x" in duration "3x"`,
  ],
  [
    'with invalid files',
    ['rel/x', '/nope/x', '/tmp']
      .map((file, i) =>
        webhook(file)
          .replace(i === 0 ? '' : /^[^]*authorizers:\n/, '')
          .replace('name: w', `name: w${i}`),
      )
      .join(''),
    '[authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "rel/x": must be an absolute path, ' +
      'authorizers[1].connectionInfo.kubeConfigFile: Invalid value: "/nope/x": error loading file: stat /nope/x: no such file or directory, ' +
      'authorizers[2].connectionInfo.kubeConfigFile: Invalid value: "/tmp": must be a regular file]',
  ],
  [
    'with conditions that do not compile',
    webhook(
      '/nope/x',
      `    matchConditions: [{expression: ""}, {expression: "true"}, {expression: "true"}, {expression: "request.foo"}, {expression: "1"}]`,
    ),
    '[authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/nope/x": error loading file: stat /nope/x: no such file or directory, ' +
      'authorizers[0].matchConditions[0].expression: Required value, ' +
      'authorizers[0].matchConditions[2].expression: Duplicate value: "true", ' +
      'authorizers[0].matchConditions[3].expression: Invalid value: "request.foo": compilation failed: ' +
      "ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^, " +
      'authorizers[0].matchConditions[4].expression: Invalid value: "1": must evaluate to bool but got int]',
  ],
];

it.each(refusals)('a configuration %s is refused', async (_what, text, why) => {
  await expect(open(text)).rejects.toThrow(new ConfigurationError(why));
});

describe('a chain', () => {
  it('accepts the Node authorizer, which permits kubelets nothing', async () => {
    const chain = await open(`${head}authorizers: [{type: Node, name: node}]`);
    const kubelet = userOf('system:node:a', 'system:nodes');
    expect(chain.authorize(ask(kubelet, 'get', 'pods'))).toEqual({ decision: 'noOpinion', reason: '' });
    expect(await chain.rulesFor(kubelet, 'default')).toEqual({ rules: [], problems: [] });
  });

  it('runs the authorizers in order, after it allows administrators', async () => {
    const chain = await open(
      `${head}authorizers: [{type: AlwaysDeny, name: alwaysdeny}, {type: RBAC, name: rbac}]`,
    );
    expect(chain.authorize(ask(userOf('eve', 'system:masters'), 'get', 'pods'))).toMatchObject({
      decision: 'allow',
    });
    expect(chain.authorize(ask(userOf('bob'), 'get', 'pods'))).toMatchObject({ decision: 'allow' });
    expect(chain.authorize(ask(userOf('eve'), 'get', 'pods'))).toEqual({
      decision: 'noOpinion',
      reason: 'Everything is forbidden.\nrbac',
    });
  });

  it('lists the rules of all authorizers that have rules, and names those without', async () => {
    using folder = tempFolder();
    const file = join(folder.path, 'kubeconfig');
    writeFileSync(file, kubeconfig);
    const chain = await open(
      webhook(file, '- {type: RBAC, name: rbac}\n- {type: AlwaysAllow, name: alwaysallow}\n'),
    );
    expect(await chain.rulesFor(userOf('eve'), 'n')).toEqual({
      rules: [
        { verbs: ['get'] },
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
      problems: ['webhook authorizer does not support user rule resolution', 'role not found'],
      incomplete: true,
    });
  });

  it('follows its file, and keeps the previous configuration if the new one is invalid', async () => {
    let text = `${head}authorizers: [{type: RBAC, name: rbac}]`;
    let changed: () => void = () => undefined;
    const file: LiveText = {
      current: () => text,
      onChange(listener) {
        changed = listener;
        return () => undefined;
      },
    };
    const chain = await openAuthorizerChain(file, deps);
    const decides = () =>
      (chain.authorize(ask(userOf('eve'), 'get', 'pods')) as { decision: string }).decision;
    const become = async (next: string, decides: string) => {
      logged.length = 0;
      text = next;
      changed();
      await expect.poll(() => logged).toEqual([decides]);
    };
    expect(decides()).toBe('noOpinion');
    await become(
      `${head}authorizers: [{type: AlwaysAllow, name: alwaysallow}]`,
      'reloading authorization config',
    );
    expect(decides()).toBe('noOpinion');
    const both = '[{type: RBAC, name: rbac}, {type: AlwaysAllow, name: alwaysallow}]';
    await become(`${head}authorizers: ${both}`, 'reloaded authz config');
    expect(decides()).toBe('allow');
    const counted = await metrics.render();
    expect(counted).toMatch(
      /^apiserver_authorization_config_controller_automatic_reloads_total\{.*status="failure".* 1$/m,
    );
    expect(counted).toMatch(
      /^apiserver_authorization_config_controller_automatic_reloads_total\{.*status="success".* 1$/m,
    );
  });
});
