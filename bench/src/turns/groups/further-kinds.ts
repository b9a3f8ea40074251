import { Buffer } from 'node:buffer';
import { byKey, textOf } from '../large-objects.ts';
import { media, type TurnRow } from '../turn-row.ts';
import { core, get, maps, post, range, remove, row, type RequestGroup } from './request-group.ts';

const big = { name: 'big' };
const container = { name: 'c', image: 'i' };
const template = (spec: object) => ({ metadata: { labels: { app: 'a' } }, spec });
const admission = '/apis/admissionregistration.k8s.io/v1';
const storage = '/apis/storage.k8s.io/v1';
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/** Returns a field of a protobuf message with bytes. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

function protobufMap(keys: number): Buffer {
  const data = range(keys, (i) => field(2, message(field(1, `k${i}`), field(2, 'v'))));
  const map = message(field(1, field(1, big.name)), ...data);
  const type = message(field(1, 'v1'), field(2, 'ConfigMap'));
  return message(Buffer.from('k8s\0'), field(1, type), field(2, map));
}

/** Creates an object, updates it, lists it as a table and deletes it. */
function whole(name: string, path: string, body: object, more: Partial<TurnRow> = {}): TurnRow[] {
  const object = { metadata: big, ...body };
  const text = JSON.stringify({
    metadata: { ...big, resourceVersion: 'VERSION', labels: { a: 'b' } },
    ...body,
  });
  return [
    row(name, post(path, object), more),
    row(`${name}, update`, { method: 'PUT', path: `${path}/big`, body: text }, { needsVersion: true }),
    row(`${name}, table`, get(path, media.table)),
    row(`${name}, delete`, remove(`${path}/big`)),
  ];
}

export const furtherKinds: RequestGroup = {
  name: 'further kinds',
  rows: () => [
    row('ConfigMap of 40,000 keys in protobuf', {
      ...post(maps, {}),
      body: protobufMap(40_000),
      type: media.protobuf,
    }),
    row('get it in protobuf', get(`${maps}/big`, media.protobuf)),
    row('get it in YAML', get(`${maps}/big`, media.yaml)),
    row('list it in protobuf', get(maps, media.protobuf)),
    row('list it in YAML', get(maps, media.yaml)),
    row('list it as a table', get(maps, media.table)),
    row('delete it', remove(`${maps}/big`)),
    ...whole('Secret, 30,000 keys', `${core}/secrets`, {
      data: byKey(30_000, (i) => [`k${i}`, 'YQ==']),
    }),
    ...whole('Role, 30,000 verbs', '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      rules: [{ apiGroups: ['a.b'], resources: ['c'], verbs: range(30_000, (i) => `v${i}`) }],
    }),
    row(
      'Role, aggregated',
      post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
        metadata: { name: 'all' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregated: 'yes' } }] },
      }),
      {
        before: [
          post('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
            metadata: { name: 'one', labels: { aggregated: 'yes' } },
            rules: range(10_000, (i) => ({ verbs: ['get'], apiGroups: [`g${i}`], resources: ['a'] })),
          }),
        ],
        waitMs: 1000,
        after: ['one', 'all'].map((name) =>
          remove(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`),
        ),
      },
    ),
    ...whole('StorageClass, 10,000 topologies', `${storage}/storageclasses`, {
      provisioner: 'a.b/c',
      allowedTopologies: range(10_000, (i) => ({ matchLabelExpressions: [{ key: `k${i}`, values: ['v'] }] })),
    }),
    ...whole('CSINode, 5,000 drivers', `${storage}/csinodes`, {
      spec: { drivers: range(5000, (i) => ({ name: `d${i}`, nodeID: `n${i}`, topologyKeys: ['a', 'b'] })) },
    }),
    ...whole('EndpointSlice, 1,000 endpoints', '/apis/discovery.k8s.io/v1/namespaces/large/endpointslices', {
      addressType: 'IPv4',
      ports: range(100, (i) => ({ name: `p${i}`, port: i + 1 })),
      endpoints: range(1000, (i) => ({
        addresses: range(20, (j) => `10.${j}.${i >> 8}.${i & 255}`),
        conditions: { ready: true },
        hostname: `h${i}`,
      })),
    }),
    ...whole('autoscaler, 3,000 metrics', '/apis/autoscaling/v2/namespaces/large/horizontalpodautoscalers', {
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
        metrics: range(3000, (i) => ({
          type: 'External',
          external: { metric: { name: `m${i}` }, target: { type: 'Value', value: '1' } },
        })),
      },
    }),
    ...whole('StatefulSet, 3,000 claims', '/apis/apps/v1/namespaces/large/statefulsets', {
      spec: {
        replicas: 0,
        serviceName: 's',
        selector: { matchLabels: { app: 'a' } },
        template: template({ containers: [container] }),
        volumeClaimTemplates: range(3000, (i) => ({ metadata: { name: `c${i}` }, spec: claim })),
      },
    }),
    ...whole('PodTemplate, 10,000 variables', `${core}/podtemplates`, {
      template: template({
        containers: [{ ...container, env: range(10_000, (i) => ({ name: `V${i}`, value: `${i}` })) }],
      }),
    }),
    ...whole('CronJob, 10,000 variables', '/apis/batch/v1/namespaces/large/cronjobs', {
      spec: {
        schedule: '0 0 1 1 *',
        suspend: true,
        jobTemplate: {
          spec: {
            template: template({
              restartPolicy: 'Never',
              containers: [{ ...container, env: range(10_000, (i) => ({ name: `V${i}`, value: `${i}` })) }],
            }),
          },
        },
      },
    }),
    row(
      'Pod, 5,000 projected sources',
      post(`${core}/pods`, {
        metadata: big,
        spec: {
          volumes: [
            {
              name: 'v',
              projected: {
                sources: range(5000, (i) => ({
                  configMap: { name: `m${i}`, items: [{ key: 'k', path: `p${i}` }] },
                })),
              },
            },
          ],
          containers: [container],
        },
      }),
    ),
    row('Pod, 5,000 projected sources, delete', remove(`${core}/pods/big`)),
    ...whole('policy, 5,000 match rules', `${admission}/validatingadmissionpolicies`, {
      spec: {
        matchConstraints: {
          resourceRules: range(5000, (i) => ({
            operations: ['CREATE'],
            apiGroups: [`g${i}`],
            apiVersions: ['v1'],
            resources: ['r'],
          })),
        },
        validations: [{ expression: 'true' }],
      },
    }),
    ...whole('webhooks, 5,000 rules', `${admission}/validatingwebhookconfigurations`, {
      webhooks: [
        {
          name: 'w.a.example',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: range(5000, (i) => ({
            operations: ['CREATE'],
            apiGroups: [`g${i}`],
            apiVersions: ['v1'],
            resources: ['r'],
          })),
        },
      ],
    }),
    ...whole('LimitRange, 3,000 limits', `${core}/limitranges`, {
      spec: {
        limits: range(3000, (i) => ({
          type: `a.b/t${i}`,
          max: { cpu: '2', memory: '1Gi' },
          min: { cpu: '1' },
        })),
      },
    }),
    ...whole('ServiceAccount, 10,000 secrets', `${core}/serviceaccounts`, {
      secrets: range(10_000, (i) => ({ name: `s${i}` })),
    }),
    row('Node', post('/api/v1/nodes', { metadata: big })),
    row(
      'Node, status with 5,000 images',
      {
        method: 'PUT',
        path: '/api/v1/nodes/big/status',
        body: JSON.stringify({
          metadata: { ...big, resourceVersion: 'VERSION' },
          status: {
            capacity: byKey(1000, (i) => [`a.b/r${i}`, '5']),
            images: range(5000, (i) => ({ names: [`i${i}`, textOf(80)], sizeBytes: i })),
          },
        }),
      },
      { needsVersion: true, waitMs: 500 },
    ),
    row('Node, delete', remove('/api/v1/nodes/big')),
    row(
      'Event, note of 1 MB',
      post(`${core}/events`, {
        metadata: big,
        involvedObject: { namespace: 'large' },
        message: 'é"\\'.repeat(200_000),
        reason: 'a',
        type: 'Normal',
      }),
      { after: [remove(`${core}/events/big`)] },
    ),
  ],
};
