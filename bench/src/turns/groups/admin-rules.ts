import { policyRows } from './policy-rows.ts';
import { core, get, maps, post, range, remove, row, type RequestGroup } from './request-group.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const flows = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
const admission = '/apis/admissionregistration.k8s.io/v1';
const rules = (n: number, from = 0) =>
  range(n, (i) => ({ apiGroups: ['g'], resources: [`r${from + i}`], verbs: ['get'] }));
const binding = (name: string) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' }],
});
const webhook = (i: number, n: number) => ({
  name: `w${i}.annex.example`,
  clientConfig: { url: 'https://127.0.0.1:1/' },
  failurePolicy: 'Ignore',
  rules: range(n, (j) => ({
    operations: ['CREATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: [`r${j}`],
  })),
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});

/** The exempt FlowSchema is the first for an administrator, so another user sends it. */
const readPods = { ...get(`${core}/pods`), user: 'u' };

const flowSchemas = (name: string, count: number, userOf = (i: number): string => `user${i}`) => ({
  expected: 403,
  before: range(count, (i) =>
    post(flows, {
      metadata: { name: `${name}${i}` },
      spec: {
        matchingPrecedence: 100,
        priorityLevelConfiguration: { name: 'workload-low' },
        rules: range(4000, (j) => ({
          subjects: [{ kind: 'User', user: { name: userOf(j) } }],
          resourceRules: [
            { verbs: ['get'], apiGroups: [''], resources: [`r${j}`], clusterScope: true, namespaces: ['*'] },
          ],
        })),
      },
    }),
  ),
});

/** Very many rules of roles, flow schemas, webhooks and policies. */
export const adminRules: RequestGroup = {
  name: 'many rules',
  rows: () => [
    row('role of 10,000', post(`${rbac}/clusterroles`, { metadata: { name: 'r0' }, rules: rules(10_000) })),
    row('binding', post(`${rbac}/clusterrolebindings`, binding('r0'))),
    row(
      'create roles',
      post(`${rbac}/clusterroles`, {
        metadata: { name: 'roles' },
        rules: [{ apiGroups: ['*'], resources: ['clusterroles', 'configmaps'], verbs: ['create', 'get'] }],
      }),
    ),
    row('binding 2', post(`${rbac}/clusterrolebindings`, binding('roles'))),
    row(
      'escalation, held',
      { ...post(`${rbac}/clusterroles`, { metadata: { name: 'e' }, rules: rules(1000, 9000) }), user: 'u' },
      { expected: 403 },
    ),
    row(
      'escalation of 10,000',
      {
        ...post(`${rbac}/clusterroles`, { metadata: { name: 'e' }, rules: rules(10_000, 100_000) }),
        user: 'u',
      },
      { expected: 403 },
    ),
    row(
      'escalation, broken down',
      {
        ...post(`${rbac}/clusterroles`, {
          metadata: { name: 'e' },
          rules: [
            {
              apiGroups: range(20, (i) => `g${i}`),
              resources: range(30, (i) => `r${i}`),
              verbs: range(30, (i) => `v${i}`),
            },
          ],
        }),
        user: 'u',
      },
      { expected: 403 },
    ),
    row(
      '30 roles of 10,000',
      { ...get(`${maps}/kube-root-ca.crt`), user: 'u' },
      {
        before: range(30, (i) => [
          post(`${rbac}/clusterroles`, { metadata: { name: `many${i}` }, rules: rules(10_000, i * 10_000) }),
          post(`${rbac}/clusterrolebindings`, binding(`many${i}`)),
        ]).flat(),
        waitMs: 500,
      },
    ),
    row('30 roles, again', { ...get(`${maps}/kube-root-ca.crt`), user: 'u' }),
    row('30 roles, refused', { ...get(`${core}/pods`), user: 'u' }, { expected: 403 }),
    row(
      '30 roles, rules review',
      {
        ...post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'large' } }),
        user: 'u',
      },
      { expected: 201 },
    ),
    row('30 roles, explained', get('/annex/traces?full=true')),
    row('roles, delete', remove(`${rbac}/clusterroles/r0`), {
      after: [
        ...range(30, (i) => remove(`${rbac}/clusterroles/many${i}`)),
        ...range(30, (i) => remove(`${rbac}/clusterrolebindings/many${i}`)),
        ...['roles'].map((n) => remove(`${rbac}/clusterroles/${n}`)),
        ...['roles', 'r0'].map((n) => remove(`${rbac}/clusterrolebindings/${n}`)),
      ],
    }),
    row('30 flow schemas of 4,000 users', readPods, { ...flowSchemas('f', 30), waitMs: 500 }),
    row('flow schemas, again', readPods, { expected: 403 }),
    row('30 flow schemas of 4,000 rules of one user', readPods, {
      ...flowSchemas('g', 30, () => 'u'),
      waitMs: 500,
    }),
    row('of one user, again', readPods, { expected: 403 }),
    row('flow schemas, delete', remove(`${flows}/f0`), {
      after: ['f', 'g'].flatMap((name) =>
        range(30, (i) => remove(`${flows}/${name}${i}`)).slice(name === 'f' ? 1 : 0),
      ),
    }),
    row(
      'one webhook of 10,000 rules',
      post(`${admission}/validatingwebhookconfigurations`, {
        metadata: { name: 'h' },
        webhooks: [webhook(0, 10_000)],
      }),
      { waitMs: 300 },
    ),
    row('10 more', post(maps, { metadata: { name: 'hook' } }), {
      before: range(10, (i) =>
        post(`${admission}/validatingwebhookconfigurations`, {
          metadata: { name: `h${i}` },
          webhooks: [webhook(0, 10_000)],
        }),
      ),
      waitMs: 300,
    }),
    row('again', post(maps, { metadata: { name: 'hook2' } })),
    row('webhook, delete', remove(`${admission}/validatingwebhookconfigurations/h`), {
      after: [
        ...range(10, (i) => remove(`${admission}/validatingwebhookconfigurations/h${i}`)),
        remove(`${maps}/hook`),
        remove(`${maps}/hook2`),
      ],
    }),
    ...policyRows(),
  ],
};
