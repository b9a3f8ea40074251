import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { charge } from './charge.ts';
import { quotaEvaluator } from './evaluators.ts';
import { measureUsage, quotaState, type ResourceQuota } from './quota-state.ts';
import { asAmounts } from './resource-list.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const evaluatorOf = (resource: string, group = '') => {
  const evaluator = quotaEvaluator(group, resource);
  if (evaluator === undefined) throw new Error(`${resource} is not measured`);
  return evaluator;
};
const pods = evaluatorOf('pods');
const quota = (hard: Record<string, string>, used: Record<string, string>, spec = {}): ResourceQuota => ({
  metadata: { name: 'q' },
  spec: { hard, ...spec },
  status: { hard, used },
});
const pod = (spec: object, more: object = {}): KubeObject => ({ metadata: { name: 'p' }, spec, ...more });
const requesting = (cpu: string, more: object = {}) => ({
  name: 'c',
  resources: { requests: { cpu } },
  ...more,
});
const used = (resource: string, object: KubeObject, group = '') =>
  asAmounts(evaluatorOf(resource, group).usage(object, now));

describe('the usage of a Pod', () => {
  it.each<[string, object, object]>([
    [
      'is the sum of its containers',
      { containers: [requesting('100m'), requesting('1')] },
      { 'requests.cpu': '1100m', cpu: '1100m' },
    ],
    [
      'is that of its largest init container if that is more',
      { containers: [requesting('100m')], initContainers: [requesting('2'), requesting('3')] },
      { 'requests.cpu': '3', cpu: '3' },
    ],
    [
      'adds restartable init containers to all later containers',
      {
        containers: [requesting('100m')],
        initContainers: [requesting('200m', { restartPolicy: 'Always' }), requesting('150m')],
      },
      { 'requests.cpu': '350m', cpu: '350m' },
    ],
    [
      'is that of the whole Pod plus its overhead',
      {
        containers: [requesting('100m')],
        resources: { requests: { cpu: '1' } },
        overhead: { cpu: '5m' },
      },
      { 'requests.cpu': '1005m', cpu: '1005m' },
    ],
    [
      'has extended resources only as requests',
      { containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '2' } } }] },
      { 'requests.example.com/gpu': '2' },
    ],
  ])('%s', (_, spec, expected) => {
    expect(used('pods', pod(spec))).toEqual({ 'count/pods': '1', pods: '1', ...expected });
  });

  it('is only its existence after it has finished', () => {
    const spec = { containers: [requesting('1')] };
    expect(used('pods', pod(spec, { status: { phase: 'Failed' } }))).toEqual({ 'count/pods': '1' });
    const overdue = { deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 };
    expect(used('pods', { ...pod(spec), metadata: overdue })).toEqual({ 'count/pods': '1' });
  });

  it('is at least the allocated resources of its containers', () => {
    const spec = { containers: [requesting('100m')] };
    const status = { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '300m' } } }] };
    expect(used('pods', pod(spec, { status }))).toMatchObject({ 'requests.cpu': '300m' });
  });
});

it.each<[string, string, object, object]>([
  [
    'a Service with a load balancer, with its node ports',
    'services',
    { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] },
    { 'services.loadbalancers': '1', 'services.nodeports': '2' },
  ],
  [
    'a Service without allocated node ports, with those that it names',
    'services',
    { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ nodePort: 30000 }, {}] },
    { 'services.loadbalancers': '1', 'services.nodeports': '1' },
  ],
  [
    'a claim, with its storage in whole bytes, also by class',
    'persistentvolumeclaims',
    { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } },
    { 'requests.storage': '2', 'gold.storageclass.storage.k8s.io/requests.storage': '2' },
  ],
])('of %s is counted', (_, resource, spec, expected) => {
  expect(used(resource, pod(spec))).toMatchObject(expected);
});

it('alternatives of a ResourceClaim count as the one with most devices', () => {
  const firstAvailable = [
    { deviceClassName: 'a', allocationMode: 'ExactCount', count: 2 },
    { deviceClassName: 'a', allocationMode: 'All' },
  ];
  const spec = { devices: { requests: [{ firstAvailable }] } };
  expect(used('resourceclaims', pod(spec), 'resource.k8s.io')).toEqual({
    'count/resourceclaims.resource.k8s.io': '1',
    'a.deviceclass.resource.k8s.io/devices': '32',
  });
});

describe('a write', () => {
  const create = (object: KubeObject) => ({ operation: 'CREATE' as const, subresource: '', object });
  const charged = (one: ResourceQuota, object: KubeObject) =>
    charge([quotaState(one)], create(object), pods, now).map((state) => asAmounts(state.used));

  it('is charged only to limited amounts', () => {
    const one = quota({ pods: '2', 'requests.cpu': '1' }, { pods: '1', 'requests.cpu': '100m' });
    expect(charged(one, pod({ containers: [requesting('100m')] }))).toEqual([
      { pods: '2', 'requests.cpu': '200m' },
    ]);
  });

  it.each<[string, ResourceQuota, object, string]>([
    [
      'that exceeds a quota is refused with the exceeded amounts',
      quota({ pods: '1', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '950m' }),
      { containers: [requesting('100m')] },
      'exceeded quota: q, requested: requests.cpu=100m, used: requests.cpu=950m, limited: requests.cpu=1',
    ],
    [
      'without a limited amount is refused',
      quota({ 'limits.memory': '1', 'requests.cpu': '1' }, { 'limits.memory': '0', 'requests.cpu': '0' }),
      { containers: [{ name: 'b' }, { name: 'a' }] },
      'failed quota: q: must specify limits.memory for: a,b; requests.cpu for: a,b',
    ],
    [
      'is refused while the usage is not computed',
      quota({ pods: '1' }, {}),
      { containers: [] },
      'status unknown for quota: q, resources: pods',
    ],
  ])('%s', (_, one, spec, message) => {
    expect(() => charged(one, pod(spec))).toThrow(message);
  });

  it.each<[string, object, object, boolean]>([
    ['Terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 0 }, true],
    ['NotTerminating', { scopes: ['NotTerminating'] }, { activeDeadlineSeconds: 0 }, false],
    [
      'PriorityClass In',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
        },
      },
      { priorityClassName: 'high' },
      true,
    ],
    [
      'PriorityClass NotIn, without a class',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }],
        },
      },
      {},
      true,
    ],
    [
      'CrossNamespacePodAffinity',
      { scopes: ['CrossNamespacePodAffinity'] },
      {
        affinity: {
          podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaces: ['other'] }] },
        },
      },
      true,
    ],
  ])('counts in the scope %s by the object', (_, spec, podSpec, counts) => {
    expect(charged(quota({ pods: '5' }, { pods: '0' }, spec), pod(podSpec))).toEqual([
      { pods: counts ? '1' : '0' },
    ]);
  });

  it('that changes an object is charged the difference', () => {
    const service = (type: string): KubeObject => ({ metadata: {}, spec: { type, ports: [{ port: 1 }] } });
    const one = quota(
      { services: '1', 'services.nodeports': '1' },
      { services: '1', 'services.nodeports': '0' },
    );
    const change = {
      operation: 'UPDATE' as const,
      subresource: '',
      object: service('NodePort'),
      oldObject: service('ClusterIP'),
    };
    const [after] = charge([quotaState(one)], change, evaluatorOf('services'), now);
    expect(asAmounts(after?.used ?? new Map())).toEqual({ services: '1', 'services.nodeports': '1' });
  });
});

it('usage is measured for the objects in scope, including zeros', () => {
  const one = quota({ pods: '5', 'requests.cpu': '1', configmaps: '1' }, {}, { scopes: ['NotTerminating'] });
  const objects = [
    pod({ containers: [requesting('1')] }),
    pod({ activeDeadlineSeconds: 1, containers: [requesting('1')] }),
  ];
  expect(asAmounts(measureUsage(one, pods, objects, now))).toEqual({ pods: '1', 'requests.cpu': '1' });
  expect(asAmounts(measureUsage(one, pods, [], now))).toEqual({ pods: '0', 'requests.cpu': '0' });
});

it('uniform objects are measured by their number and match no scope', () => {
  const secrets = evaluatorOf('secrets');
  const hard = { secrets: '5', 'count/secrets': '9', pods: '1' };
  expect(asAmounts(measureUsage(quota(hard, {}), secrets, 3, now))).toEqual({
    secrets: '3',
    'count/secrets': '3',
  });
  const scoped = quota({ secrets: '5' }, {}, { scopes: ['NotTerminating'] });
  expect(asAmounts(measureUsage(scoped, secrets, 3, now))).toEqual({ secrets: '0' });
});

it.each<[string, object, object, boolean]>([
  ['that ends', { status: { phase: 'Running' } }, { status: { phase: 'Succeeded' } }, true],
  [
    'whose allocated resources change',
    { status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
    { status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } },
    true,
  ],
  ['with its first status', {}, { status: { containerStatuses: [{ name: 'c' }] } }, false],
])('a Pod %s may decrease the usage', (_, previous, next, frees) => {
  expect(pods.frees?.(pod({}, next), pod({}, previous), now)).toBe(frees);
});

it('events are not measured', () => {
  expect(quotaEvaluator('', 'events')).toBeUndefined();
  expect(quotaEvaluator('events.k8s.io', 'events')).toBeUndefined();
});
