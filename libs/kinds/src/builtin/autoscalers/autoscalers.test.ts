import { finish, type JsonObject, type KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { autoscalerInV2, autoscalersStorage as storage } from './autoscalers.ts';

const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const pods = {
  type: 'Pods',
  pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } },
};
const prefix = 'autoscaling.alpha.kubernetes.io/';
const annotation = ({ metadata }: KubeObject, name: string): string | undefined =>
  metadata.annotations?.[prefix + name];

const stored: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: { maxReplicas: 3, metrics: [pods, cpu], behavior: { scaleDown: { selectPolicy: 'Min' } } },
  status: {
    currentReplicas: 1,
    conditions: [{ type: 'AbleToScale', status: 'True', lastTransitionTime: null }],
  },
};

describe('autoscaling/v1', () => {
  it('has the CPU metric in a field, and the others in an annotation', async () => {
    const shown = await storage.fromStored(structuredClone(stored));
    expect(shown).toMatchObject({
      apiVersion: 'autoscaling/v1',
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
      status: { currentReplicas: 1 },
    });
    expect(shown.spec).not.toHaveProperty('metrics');
    expect(JSON.parse(shown.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([
      { type: 'Pods', pods: { metricName: 'hits', targetAverageValue: '10' } },
    ]);
  });

  it('loses nothing in a round trip through v1', async () => {
    const shown = await storage.fromStored(structuredClone(stored));
    expect(finish(autoscalerInV2(shown))).toEqual(stored);
  });

  it('has a default target of 80 percent of the CPU', async () => {
    const sent: KubeObject = {
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a' },
      spec: { maxReplicas: 1 },
    };
    expect((await storage.toStored(sent)).spec).toEqual({
      maxReplicas: 1,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    });
  });

  const target = (averageValue: string) => ({ type: 'AverageValue', averageValue });
  const used = (averageUtilization: number) => ({ type: 'Utilization', averageUtilization });
  const specs: [name: string, v2: JsonObject, v1: string][] = [
    [
      'memory',
      { type: 'Resource', resource: { name: 'memory', target: target('1Gi') } },
      '{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}',
    ],
    [
      'the CPU of a container',
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: used(50) } },
      '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":50,"container":"c"}}',
    ],
    [
      'Pods with a selector',
      {
        type: 'Pods',
        pods: {
          metric: { name: 'hits', selector: { matchLabels: { b: '<', a: '1' } } },
          target: target('10'),
        },
      },
      '{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"10","selector":{"matchLabels":{"a":"1","b":"\\u003c"}}}}',
    ],
    [
      'an object with an average, whose value is zero in v1',
      {
        type: 'Object',
        object: {
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 's' },
          metric: { name: 'hits' },
          target: target('2'),
        },
      },
      '{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"hits","targetValue":"0","averageValue":"2"}}',
    ],
    [
      'an external value',
      { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '30' } } },
      '{"type":"External","external":{"metricName":"e","targetValue":"30"}}',
    ],
  ];
  it.each(specs)('has the target of %s in an annotation, in the order of its Go type', (_name, v2, v1) => {
    const spec = { maxReplicas: 3, metrics: [v2, cpu] };
    const shown = storage.fromStored({ ...stored, spec });
    expect(annotation(shown, 'metrics')).toBe(`[${v1}]`);
    expect(storage.toStored(shown).spec).toEqual(spec);
  });

  const metric = { name: 'hits' };
  const statuses: [name: string, v2: JsonObject, v1: string][] = [
    [
      'the CPU',
      { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '5m', averageUtilization: 4 } } },
      '{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":4,"currentAverageValue":"5m"}}',
    ],
    [
      'Pods',
      { type: 'Pods', pods: { metric, current: { averageValue: '3' } } },
      '{"type":"Pods","pods":{"metricName":"hits","currentAverageValue":"3"}}',
    ],
    [
      'an external value',
      { type: 'External', external: { metric, current: { value: '3', averageValue: '1' } } },
      '{"type":"External","external":{"metricName":"hits","currentValue":"3","currentAverageValue":"1"}}',
    ],
  ];
  it.each(statuses)('has the current metric of %s in an annotation', (_name, v2, v1) => {
    const status = { currentReplicas: 1, currentMetrics: [v2] };
    const shown = storage.fromStored({ ...stored, status });
    expect(annotation(shown, 'current-metrics')).toBe(`[${v1}]`);
    expect(storage.toStored(shown).status).toMatchObject(status);
  });

  it('has one CPU metric, the first one', () => {
    const second = { ...cpu, resource: { ...cpu.resource, target: used(70) } };
    const shown = storage.fromStored({ ...stored, spec: { maxReplicas: 3, metrics: [cpu, second] } });
    expect(shown.spec).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 50 });
    expect(annotation(shown, 'metrics')).toBeUndefined();
  });

  it('has conditions in the order of their Go type', () => {
    const condition = { message: 'm', reason: 'r', status: 'True', type: 'AbleToScale' };
    const shown = storage.fromStored({ ...stored, status: { conditions: [condition] } });
    expect(annotation(shown, 'conditions')).toBe(
      '[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"r","message":"m"}]',
    );
  });

  it.each(['{', '{}', '"a"', 'null'])('ignores an annotation that is no list: %s', (text) => {
    const metadata = { name: 'a', annotations: { [`${prefix}metrics`]: text, [`${prefix}behavior`]: text } };
    const sent = { apiVersion: 'autoscaling/v1', metadata, spec: { targetCPUUtilizationPercentage: 50 } };
    expect(storage.toStored(sent)).toMatchObject({ metadata: { name: 'a' }, spec: { metrics: [cpu] } });
    expect(storage.toStored(sent).spec).not.toHaveProperty('behavior');
  });
});
