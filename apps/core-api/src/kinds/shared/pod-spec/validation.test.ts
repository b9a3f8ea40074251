import { FieldPath, type FieldError } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { validatePodSpec } from './validation.ts';

const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const base = { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [container] };
const errors = (spec: object): string[] =>
  validatePodSpec({ ...base, ...spec }, FieldPath.of('spec')).map(
    ({ field, detail }: FieldError) => `${field}: ${detail}`,
  );
const withContainer = (more: object) => ({ containers: [{ ...container, ...more }] });
const withVolume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });

describe('the spec of a pod is rejected', () => {
  it.each<[why: string, spec: object, complaints: string[]]>([
    ['nothing', {}, []],
    [
      'with an image that is blank at its ends',
      withContainer({ image: ' i ' }),
      ['spec.containers[0].image: must not have leading or trailing whitespace'],
    ],
    [
      'with a variable of two sources',
      withContainer({
        env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.x' } } }],
      }),
      [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: error converting fieldPath: field label not supported: spec.x',
      ],
    ],
    [
      'with a path that leads out of a volume',
      withVolume({ hostPath: { path: '/a/..' } }),
      ["spec.volumes[0].hostPath.path: must not contain '..'"],
    ],
    [
      'with a volume with the name of a valid one',
      { volumes: [{ name: 'v' }, { name: 'v', secret: {} }] },
      ['spec.volumes[1].secret.secretName: ', 'spec.volumes[1].name: '],
    ],
    [
      'with a volume with the name of an invalid one',
      { volumes: [{ name: 'v', secret: {} }, { name: 'v' }] },
      ['spec.volumes[0].secret.secretName: '],
    ],
    [
      'with a volume of two types',
      withVolume({ emptyDir: {}, hostPath: { path: '/x' } }),
      ['spec.volumes[0].hostPath: may not specify more than 1 volume type'],
    ],
    [
      'with unknown resources',
      withContainer({ resources: { limits: { foo: '1' } } }),
      [
        'spec.containers[0].resources.limits[foo]: must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[foo]: must be a standard resource for containers',
      ],
    ],
    [
      'with a toleration of everything that names a value',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] },
      ["spec.tolerations[0].operator: value must be empty when `operator` is 'Exists'"],
    ],
    [
      'with affinity to no term',
      {
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        },
      },
      [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: must have at least one node selector term',
      ],
    ],
    [
      'with a volume claim that has a name',
      {
        volumes: [
          {
            name: 'v',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { name: 'x' },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      },
      ['spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.name: cannot be set'],
    ],
    [
      'with gates and a node',
      { schedulingGates: [{ name: 'a' }], nodeName: 'n' },
      ['spec.nodeName: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'with custom name servers and none',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'with a probe of an init container that ends',
      { initContainers: [{ ...container, name: 'i', livenessProbe: { tcpSocket: { port: 80 } } }] },
      [
        'spec.initContainers[0].livenessProbe: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'with users below zero',
      { securityContext: { runAsUser: -1 } },
      ['spec.securityContext.runAsUser: must be between 0 and 2147483647, inclusive'],
    ],
  ])('%s', (_why, spec, expected) => {
    expect(errors(spec)).toEqual(expected);
  });
});

describe('many constraints of topology', () => {
  const spread = (topologyKey: string) => ({ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' });

  it('are compared in linear time, and the earlier ones of a pair are duplicates', () => {
    const many = Array.from({ length: 60_000 }, (_, i) => spread(`k${i}`));
    const found = errors({ topologySpreadConstraints: [...many, spread('k7'), spread('k9')] });
    expect(found).toEqual([
      'spec.topologySpreadConstraints[7].{topologyKey, whenUnsatisfiable}: ',
      'spec.topologySpreadConstraints[9].{topologyKey, whenUnsatisfiable}: ',
    ]);
  });
});
