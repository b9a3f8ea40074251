import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { autoscalersStorage as storage } from './autoscalers.ts';

const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const pods = {
  type: 'Pods',
  pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } },
};
const stored: KubeObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: { maxReplicas: 3, metrics: [pods, cpu], behavior: { scaleDown: { selectPolicy: 'Min' } } },
  status: { currentReplicas: 1, conditions: [{ type: 'AbleToScale', status: 'True' }] },
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
    expect(await storage.toStored(shown)).toEqual(stored);
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
});
