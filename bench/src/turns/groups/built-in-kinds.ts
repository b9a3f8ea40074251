import { byKey, textOf } from '../large-objects.ts';
import { media, type TurnRow } from '../turn-row.ts';
import { core, json, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const named = (name: string) => ({ name });
export const kinds: RequestGroup = {
  name: 'built-in kinds',
  rows: () => {
    const one = (name: string, path: string, body: object, more: Partial<TurnRow> = {}): TurnRow[] => {
      const object = { metadata: named('big'), ...body };
      return [
        row(name, post(path, object), more),
        // What is refused is not there to be deleted.
        ...(more.expected === undefined ? [row(`${name}, delete`, remove(`${path}/big`))] : []),
      ];
    };
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const net = '/apis/networking.k8s.io/v1/namespaces/large';
    const template = (spec: object) => ({ metadata: { labels: { app: 'a' } }, spec });
    const container = { name: 'c', image: 'i' };
    return [
      ...one('Service, 3,000 ports', `${core}/services`, {
        spec: { selector: { a: 'b' }, ports: range(3000, (i) => ({ name: `p${i}`, port: i + 1 })) },
      }),
      ...one('Endpoints, 10,000', `${core}/endpoints`, {
        subsets: [
          { addresses: range(10_000, (i) => ({ ip: `10.0.${i >> 8}.${i & 255}` })), ports: [{ port: 1 }] },
        ],
      }),
      ...one('Role, 10,000 rules', `${rbac}/clusterroles`, {
        rules: range(10_000, (i) => ({ verbs: ['get'], apiGroups: [`g${i}`], resources: ['a', 'b'] })),
      }),
      ...one('ClusterRoleBinding, 10,000 subjects', `${rbac}/clusterrolebindings`, {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: range(10_000, (i) => ({
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'User',
          name: `u${i}`,
        })),
      }),
      ...one('NetworkPolicy, 10,000 peers', `${net}/networkpolicies`, {
        spec: {
          podSelector: {},
          ingress: [{ from: range(10_000, (i) => ({ podSelector: { matchLabels: { a: `v${i}` } } })) }],
        },
      }),
      ...one('NetworkPolicy, 10,000 terms', `${net}/networkpolicies`, {
        spec: {
          podSelector: {
            matchExpressions: range(10_000, (i) => ({ key: `k${i}`, operator: 'In', values: ['a', 'b'] })),
          },
        },
      }),
      ...one('Ingress, 5,000 rules', `${net}/ingresses`, {
        spec: {
          rules: range(5000, (i) => ({
            host: `h${i}.example.com`,
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } },
              ],
            },
          })),
        },
      }),
      ...one('Pod, 5,000 volumes', `${core}/pods`, {
        spec: {
          volumes: range(5000, (i) => ({ name: `v${i}`, emptyDir: {} })),
          containers: [
            { ...container, volumeMounts: range(5000, (i) => ({ name: `v${i}`, mountPath: `/m/${i}` })) },
          ],
        },
      }),
      ...one('Pod, 5,000 ports', `${core}/pods`, {
        spec: {
          containers: [
            { ...container, ports: range(5000, (i) => ({ containerPort: i + 1, name: `p${i}` })) },
          ],
        },
      }),
      ...one('Pod, 10,000 tolerations', `${core}/pods`, {
        spec: {
          containers: [container],
          tolerations: range(10_000, (i) => ({ key: `k${i}`, operator: 'Exists' })),
        },
      }),
      ...one('Pod, 3,000 containers', `${core}/pods`, {
        spec: {
          containers: range(3000, (i) => ({
            ...container,
            name: `c${i}`,
            resources: { requests: { cpu: '1m' } },
          })),
        },
      }),
      ...one('Pod, affinity of 10,000 terms', `${core}/pods`, {
        spec: {
          containers: [container],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: range(10_000, (i) => ({
                  matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a'] }],
                })),
              },
            },
          },
        },
      }),
      ...one('Deployment, 10,000 selector terms', '/apis/apps/v1/namespaces/large/deployments', {
        spec: {
          replicas: 0,
          selector: {
            matchLabels: { app: 'a' },
            matchExpressions: range(10_000, (i) => ({ key: `k${i}`, operator: 'DoesNotExist' })),
          },
          template: template({ containers: [container] }),
        },
      }),
      ...one('EndpointSlice, 1,000 endpoints', '/apis/discovery.k8s.io/v1/namespaces/large/endpointslices', {
        addressType: 'IPv4',
        ports: [],
        endpoints: range(1000, (i) => ({ addresses: [`10.0.${i >> 8}.${i & 255}`] })),
      }),
      ...one('Event, message of 1 MB', `${core}/events`, {
        involvedObject: { namespace: 'large' },
        message: textOf(1_000_000),
        reason: 'a',
        type: 'Normal',
      }),
      ...one('20,000 labels', `${core}/configmaps`, {
        metadata: { name: 'big', labels: byKey(20_000, (i) => [`l${i}`, 'v']) },
      }),
      ...one(
        '20,000 finalizers',
        `${core}/configmaps`,
        { metadata: { name: 'big', finalizers: range(20_000, (i) => `a.b/f${i}`) } },
        { after: [patch(`${core}/configmaps/big`, media.merge, { metadata: { finalizers: null } })] },
      ),
      ...one(
        '10,000 owners',
        `${core}/configmaps`,
        {
          metadata: {
            name: 'big',
            ownerReferences: range(10_000, (i) => ({
              apiVersion: 'v1',
              kind: 'ConfigMap',
              name: `a${i}`,
              uid: `uid-${i}`,
            })),
          },
        },
        { after: [patch(`${core}/configmaps/big`, media.merge, { metadata: { ownerReferences: null } })] },
      ),
      ...one(
        '30,000 unknown fields',
        `${core}/configmaps?fieldValidation=Warn`,
        byKey(30_000, (i) => [`u${i}`, 1]),
      ),
      ...one(
        '30,000 unknown fields, strict',
        `${core}/configmaps?fieldValidation=Strict`,
        byKey(30_000, (i) => [`u${i}`, 1]),
        { expected: 400 },
      ),
      ...one('ResourceQuota, 10,000', `${core}/resourcequotas`, {
        spec: { hard: byKey(10_000, (i) => [`count/r${i}.example.com`, '5']) },
      }),
      ...one('FlowSchema, 5,000 rules', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {
        spec: {
          priorityLevelConfiguration: { name: 'catch-all' },
          matchingPrecedence: 9999,
          rules: range(5000, (i) => ({
            subjects: [{ kind: 'User', user: { name: `u${i}` } }],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
          })),
        },
      }),
      ...one('webhooks, 500', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
        webhooks: range(500, (i) => ({
          name: `w${i}.a.example`,
          clientConfig: { url: 'https://127.0.0.1:1/' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [
            { operations: ['CREATE'], apiGroups: ['nothing.example'], apiVersions: ['v1'], resources: ['x'] },
          ],
          matchConditions: range(5, (j) => ({
            name: `c${j}`,
            expression: `object.metadata.name != 'a${i}' && request.name != 'b${j}'`,
          })),
        })),
      }),
      ...one(
        'policy, 1,000 expressions',
        '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
        {
          spec: {
            matchConstraints: {
              resourceRules: [
                { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
              ],
            },
            validations: range(1000, (i) => ({
              expression: `object.metadata.name != 'a${i}' && object.metadata.name.startsWith('b') == false`,
            })),
          },
        },
      ),
      ...one('ResourceSlice, 128 devices', '/apis/resource.k8s.io/v1/resourceslices', {
        spec: {
          driver: 'd.example.com',
          nodeName: 'n',
          pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
          devices: range(128, (i) => ({
            name: `d${i}`,
            attributes: byKey(32, (j) => [`a${j}`, { string: textOf(60) }]),
          })),
        },
      }),
      ...one(
        'Pod, 90,000 invalid containers',
        `${core}/pods`,
        { spec: { containers: range(90_000, () => ({})) } },
        { expected: 422 },
      ),
      ...one(
        'autoscaler, 80,000 metrics in an annotation',
        '/apis/autoscaling/v1/namespaces/large/horizontalpodautoscalers',
        {
          metadata: {
            name: 'big',
            annotations: { [metricsAnnotation]: json(range(80_000, () => ({}))) },
          },
          spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
        },
        { expected: 422 },
      ),
      ...one(
        'autoscaler, 3,000 metrics in an annotation',
        '/apis/autoscaling/v1/namespaces/large/horizontalpodautoscalers',
        {
          metadata: {
            name: 'big',
            annotations: {
              [metricsAnnotation]: json(
                range(3000, (i) => ({
                  type: 'Resource',
                  resource: { name: `m${i}`, targetAverageUtilization: 1 },
                })),
              ),
            },
          },
          spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } },
        },
      ),
      ...one(
        'CSR',
        '/apis/certificates.k8s.io/v1/certificatesigningrequests',
        {
          spec: {
            signerName: 'a.b/c',
            usages: ['client auth'],
            request: Buffer.from(textOf(1_000_000)).toString('base64'),
          },
        },
        { expected: 422 },
      ),
    ];
  },
};
