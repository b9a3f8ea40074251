import type { JsonObject, KubeObject } from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { describe, expect, it } from 'vitest';
import { kindOf } from './kinds.fixture.ts';

const warn = (resource: string, object: object, old?: object): string[] => {
  const named = { metadata: { name: 'a', ...(object as KubeObject).metadata }, ...object };
  const { strategy } = kindOf(resource);
  const request = {} as RequestContext;
  return (strategy.warnings?.(named as KubeObject, old as KubeObject | undefined, request) ?? []) as string[];
};
const pod = (spec: object) => ({ spec: { containers: [], ...spec } });

describe('a warning', () => {
  it.each<[resource: string, object: object, warning: string]>([
    [
      '/pods',
      { metadata: { name: 'a.b' } },
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
    [
      'apps/deployments',
      { metadata: { name: 'a.b' } },
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ],
    [
      '/pods',
      pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
    [
      '/pods',
      pod({
        containers: [
          {
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
        ],
      }),
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ],
    [
      '/pods',
      pod({ containers: [{ ports: [{ containerPort: 80 }, { containerPort: 80 }] }] }),
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    ],
    [
      '/pods',
      pod({ containers: [{ resources: { limits: { memory: '1500m' } } }] }),
      'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
    ],
    [
      '/pods',
      pod({ volumes: [{ name: 'g', gitRepo: {} }] }),
      'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    ],
    [
      '/persistentvolumeclaims',
      { spec: { resources: { requests: { storage: '1500m' } } } },
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
    [
      '/services',
      { spec: { type: 'ClusterIP', externalIPs: ['1.2.3.4'] } },
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ],
    [
      'networking.k8s.io/ingresses',
      { metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } } },
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ],
  ])('%s %j', (resource, object, warning) => {
    expect(warn(resource, object)).toEqual([warning]);
  });

  it('is not returned for a variable that extends the previous one', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'A', value: '$(A)2' },
    ];
    expect(warn('/pods', pod({ containers: [{ env }] }))).toEqual([]);
  });

  // The limit: maxSearchedVariables.
  it('is not returned for variables beyond the maximum', () => {
    const different = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `V${i}` }));
    const hidden = (count: number) =>
      warn('/pods', pod({ containers: [{ env: [...different(count), { name: 'V0' }] }] }));
    expect(hidden(29_999)).toHaveLength(1);
    expect(hidden(30_000)).toEqual([]);
  });

  // The limits: maxComparedPorts and maxPortWarnings.
  it('is returned for some of the ports if there are too many', () => {
    const ports = Array.from({ length: 100_000 }, () => ({ containerPort: 80, protocol: 'TCP' }));
    const warnings = warn('/pods', pod({ containers: [{ name: 'c', image: 'i', ports }] }));
    const clashes = warnings.filter((text) => text.includes('duplicate port definition'));
    expect(clashes).toHaveLength(1_000);
    expect(clashes[0]).toContain(
      'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
    );
  });

  // The limits: maxComparedPaths and maxPathWarnings.
  it('is returned for some of the files of volumes if there are too many', () => {
    const items = Array.from({ length: 10_000 }, () => ({ key: 'k', path: 'a/' }));
    const one = { name: 'v', secret: { secretName: 's', items: items.slice(0, 2) } };
    const many = { name: 'v', secret: { secretName: 's', items } };
    const overlaps = (volumes: JsonObject[]) =>
      warn('/pods', pod({ volumes })).filter((text) => text.includes('overlapping paths'));
    expect(overlaps([one])).toEqual(['volume "v" (Secret "s"): overlapping paths: "a" with "a"']);
    expect(overlaps([many, many])).toHaveLength(1_000);
    const different = Array.from({ length: 100 }, (_, i) => ({ key: 'k', path: `b${i}` }));
    const later = { secretName: 's', items: [...different, ...items] };
    expect(overlaps([{ name: 'v', secret: later }])).toEqual([]);
  });

  it('is not repeated for unchanged templates', () => {
    const deployment = {
      metadata: { generation: 2 },
      spec: { template: pod({ terminationGracePeriodSeconds: -1 }) },
    };
    const again = { metadata: { generation: 1 } };
    const [warning = ''] = warn('apps/deployments', deployment, again);
    expect(warning).toContain('spec.template.spec.terminationGracePeriodSeconds: must be >= 0');
    expect(warn('apps/deployments', deployment, deployment)).toEqual([]);
  });
});
