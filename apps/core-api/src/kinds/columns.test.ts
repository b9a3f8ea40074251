import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { kindOf } from './kinds.fixture.ts';

const now = Date.UTC(2026, 0, 2);

/** Returns the cells of the named columns for an object. */
const shown = (kind: string, rest: object, ...columns: string[]) =>
  columns.map((name) =>
    kindOf(kind)
      .columns.find((column) => column.name === name)!
      .cell({ metadata: { name: 'x' }, ...rest } as KubeObject, now),
  );

describe('cells', () => {
  it.each<[string, object, string[], unknown[]]>([
    ['/configmaps', { data: { a: '1' }, binaryData: { b: '' } }, ['Data'], [2]],
    ['/secrets', { type: 'Opaque', data: {} }, ['Type', 'Data'], ['Opaque', 0]],
    [
      '/services',
      {
        spec: {
          type: 'NodePort',
          clusterIPs: ['10.0.0.2'],
          ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }],
          selector: { b: '2', a: '1' },
        },
      },
      ['Cluster-IP', 'External-IP', 'Port(s)', 'Selector'],
      ['10.0.0.2', '<none>', '80:30080/TCP', 'a=1,b=2'],
    ],
    ['/services', { spec: { type: 'LoadBalancer' } }, ['External-IP', 'Port(s)'], ['<pending>', '<none>']],
    [
      '/endpoints',
      {
        subsets: [
          { addresses: ['1', '2', '3', '4'].map((n) => ({ ip: `10.0.0.${n}` })), ports: [{ port: 80 }] },
        ],
      },
      ['Endpoints'],
      ['10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...'],
    ],
    ['/endpoints', {}, ['Endpoints'], ['<none>']],
    [
      '/events',
      {
        lastTimestamp: '2026-01-01T23:59:00Z',
        involvedObject: { kind: 'Pod', name: 'p' },
        source: { component: 'kubelet', host: 'n1' },
        message: ' text\n',
      },
      ['Last Seen', 'Object', 'Source', 'Message', 'Count'],
      ['60s', 'pod/p', 'kubelet, n1', 'text', 1],
    ],
    [
      '/nodes',
      { spec: { unschedulable: true } },
      ['Status', 'Roles'],
      ['Unknown,SchedulingDisabled', '<none>'],
    ],
    [
      '/persistentvolumes',
      { spec: { accessModes: ['ReadWriteMany', 'ReadWriteOnce'] } },
      ['Access Modes'],
      ['RWO,RWX'],
    ],
    [
      'apps/deployments',
      { spec: { replicas: 3, selector: { matchLabels: { a: 'b' } } }, status: { readyReplicas: 1 } },
      ['Ready', 'Available', 'Selector'],
      ['1/3', 0, 'a=b'],
    ],
    [
      'batch/jobs',
      {
        spec: { completions: 2 },
        status: {
          succeeded: 2,
          startTime: '2026-01-01T00:00:00Z',
          completionTime: '2026-01-01T00:01:30Z',
          conditions: [{ type: 'Complete', status: 'True' }],
        },
      },
      ['Status', 'Completions', 'Duration'],
      ['Complete', '2/2', '90s'],
    ],
    [
      'autoscaling/horizontalpodautoscalers',
      {
        spec: {
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
          minReplicas: 1,
        },
      },
      ['Targets', 'MinPods', 'MaxPods'],
      ['cpu: <unknown>/80%', '1', 0],
    ],
    [
      'policy/poddisruptionbudgets',
      { spec: { minAvailable: 2 } },
      ['Min Available', 'Max Unavailable'],
      ['2', 'N/A'],
    ],
    ['coordination.k8s.io/leases', { spec: { holderIdentity: 'me' } }, ['Holder'], ['me']],
    [
      'networking.k8s.io/ingresses',
      { spec: { rules: [{ host: 'a' }, {}], tls: [{}] } },
      ['Class', 'Hosts', 'Ports'],
      ['<none>', 'a', '80, 443'],
    ],
    [
      'networking.k8s.io/ipaddresses',
      { spec: { parentRef: { group: '', resource: 'services', namespace: 'n', name: 's' } } },
      ['ParentRef'],
      ['services/n/s'],
    ],
  ])('of %s', (kind, rest, columns, expected) => {
    expect(shown(kind, rest, ...columns)).toEqual(expected);
  });
});
