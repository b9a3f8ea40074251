import { group } from '../large-objects.ts';
import { media, type TurnRow } from '../turn-row.ts';
import {
  core,
  freeOf,
  get,
  lists,
  maps,
  patch,
  post,
  range,
  remove,
  row,
  type RequestGroup,
} from './request-group.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const deployment = '/apis/apps/v1/namespaces/large/deployments/patched';
const deployments = '/apis/apps/v1/namespaces/large/deployments';

const review = post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
  spec: { user: 'bound', resourceAttributes: { verb: 'get', group: 'none.example', resource: 'a' } },
});
const wideRole = post(`${rbac}/clusterroles`, {
  metadata: { name: 'wide' },
  rules: range(10_000, (i) => ({ verbs: ['get'], apiGroups: [`g${i}`], resources: ['a', 'b'] })),
});
const wideBinding = post(`${rbac}/clusterrolebindings`, {
  metadata: { name: 'wide' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'wide' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bound' }],
});
const labeled = { metadata: { labels: { a: 'b' } } };

/** Reviews of a user with very many rules. */
const roles = (): TurnRow[] => [
  row('review, role of 10,000 rules', review, { before: [wideRole, wideBinding] }),
  row('the same again', review),
  row('role of 10,000 rules, changed', patch(`${rbac}/clusterroles/wide`, media.merge, labeled)),
  row('review after it', review, {
    after: [remove(`${rbac}/clusterrolebindings/wide`), remove(`${rbac}/clusterroles/wide`)],
  }),
];

const operations = (path: string, of: (i: number) => object): ReturnType<typeof patch> =>
  patch(path, media.jsonPatch, range(10_000, of));

const jsonPatches = (): TurnRow[] => [
  row(
    'JSON patch, 10,000 operations',
    operations(`${maps}/patched`, (i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
    { before: [post(maps, { metadata: { name: 'patched' }, data: { a: 'b' } })] },
  ),
  row(
    'JSON patch, 10,000 tests',
    operations(`${maps}/patched`, (i) => ({ op: 'test', path: `/data/k${i}`, value: 'v' })),
    { after: [remove(`${maps}/patched`)] },
  ),
  row(
    'JSON patch, 10,000 copies of a list',
    operations(`${lists}/patched`, (i) => ({ op: 'copy', from: '/spec/list', path: `/spec/c${i}` })),
    { before: [post(lists, freeOf('patched', { list: range(10, (i) => i) }))] },
  ),
  row(
    'JSON patch, 10,000 items before 50,000',
    operations(`${lists}/long`, () => ({ op: 'add', path: '/spec/list/0', value: 1 })),
    { before: [post(lists, freeOf('long', { list: range(50_000, (i) => i) }))] },
  ),
  row(
    'JSON patch, 10,000 moves',
    operations(`${lists}/long`, () => ({ op: 'move', from: '/spec/list/0', path: '/spec/list/40000' })),
    { after: [remove(lists)] },
  ),
];

const variables = (from: number, count: number): { name: string }[] =>
  range(count, (i) => ({ name: `V${from + i}` }));
const withVariables = (env: object[], more: object = {}) => ({
  spec: { template: { spec: { containers: [{ name: 'c', env, ...more }] } } },
});
const strategic = (name: string, body: object, more: Partial<TurnRow> = {}): TurnRow =>
  row(name, patch(deployment, media.strategic, body), more);

const strategicPatches = (): TurnRow[] => [
  strategic('strategic patch, 6,000 more variables', withVariables(variables(3000, 6000)), {
    before: [
      post(deployments, {
        metadata: { name: 'patched' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: {
            ...labeled,
            spec: { containers: [{ name: 'c', image: 'i', env: variables(0, 6000) }] },
          },
        },
      }),
    ],
  }),
  strategic(
    'strategic patch, an order of 9,000',
    withVariables([], { '$setElementOrder/env': variables(0, 9000).toReversed() }),
  ),
  strategic('strategic patch, 80,000 new variables', withVariables(variables(10_000, 80_000)), {
    expected: 413,
  }),
  strategic(
    'strategic patch, 60,000 deletions',
    withVariables(variables(0, 60_000).map((variable) => ({ ...variable, $patch: 'delete' }))),
    { after: [remove(deployment)] },
  ),
];

const applied = (manager: number): ReturnType<typeof patch> => {
  const fields = range(500, (i) => [`k${manager * 400 + i}`, { a: 'b', c: [1, 2] }] as const);
  const body = freeOf('applied', Object.fromEntries(fields));
  return patch(`${lists}/applied?fieldManager=m${manager}&force=true`, media.apply, body);
};

const managers = (): TurnRow[] => [
  row('apply, the twentieth manager', applied(20), { before: range(19, applied) }),
  row('apply by the first', applied(0), { after: [remove(`${lists}/applied`)] }),
];

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const apiServices = (): TurnRow[] => [
  row('groups with 2,000 APIServices', get('/apis'), {
    before: range(2000, (i) =>
      post(services, {
        metadata: { name: `v1.g${i}.${group}` },
        spec: {
          group: `g${i}.${group}`,
          version: 'v1',
          groupPriorityMinimum: 1,
          versionPriority: 1,
          service: { namespace: 'large', name: 'none' },
          insecureSkipTLSVerify: true,
        },
      }),
    ),
    waitMs: 2000,
  }),
  row('aggregated discovery', get('/apis', aggregated)),
  row('OpenAPI v3 index', get('/openapi/v3')),
  row('OpenAPI v2', get('/openapi/v2')),
  row('list', get(services)),
  row('list as a table', get(services, media.table)),
  row('delete them', remove(`${services}?labelSelector=!kube-aggregator.kubernetes.io/automanaged`), {
    waitMs: 3000,
  }),
];

/** What an outsider might send. */
export const outsiders: RequestGroup = {
  name: 'outsiders',
  rows: () => [
    ...roles(),
    ...jsonPatches(),
    ...strategicPatches(),
    ...managers(),
    ...apiServices(),
    row('metrics', get('/metrics')),
    row('readiness', get('/readyz?verbose')),
    row('Endpoints of 10,000, patched', patch(`${core}/endpoints/big`, media.merge, labeled), {
      before: [
        post(`${core}/endpoints`, {
          metadata: { name: 'big' },
          subsets: [
            {
              addresses: range(10_000, (i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })),
              ports: [{ port: 1 }],
            },
          ],
        }),
      ],
      after: [remove(`${core}/endpoints/big`)],
    }),
  ],
};
