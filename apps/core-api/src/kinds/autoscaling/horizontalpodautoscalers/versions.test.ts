import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from '../../../served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

type Version = 'v1' | 'v2';
const pathOf = (version: Version, name = ''): string =>
  `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers${name && `/${name}`}`;

const autoscaler = (version: Version, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: `autoscaling/${version}`,
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, ...metadata },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3, ...spec },
});

const apply = (version: Version, name: string, spec: object, metadata?: object) =>
  server.request(
    'PATCH',
    `${pathOf(version, name)}?fieldManager=m`,
    autoscaler(version, name, spec, metadata),
    'application/apply-patch+yaml',
  );

const get = async (version: Version, name: string): Promise<KubeObject> =>
  (await server.request('GET', pathOf(version, name))).body as unknown as KubeObject;

const behaviorAnnotation = 'autoscaling.alpha.kubernetes.io/behavior';

describe('HorizontalPodAutoscalers in two versions', () => {
  it('lose fields that a manager applied in v2 and no longer applies in v1', async () => {
    const behavior = { scaleDown: { tolerance: '50m' } };
    await apply('v2', 'pruned', { minReplicas: 2, behavior }, { labels: { x: '1' } });
    expect((await get('v1', 'pruned')).metadata).toMatchObject({
      labels: { x: '1' },
      annotations: { [behaviorAnnotation]: expect.stringContaining('50m') as string },
    });
    expect((await apply('v1', 'pruned', {})).code).toBe(200);
    const { metadata, spec } = await get('v2', 'pruned');
    expect(metadata).not.toHaveProperty('labels');
    expect(spec).toMatchObject({ minReplicas: 1 });
    expect(spec).not.toHaveProperty('behavior');
  });

  it('keep their conditions when v1 is updated, and their behavior when its status is', async () => {
    const sent = autoscaler('v2', 'kept', { behavior: { scaleUp: { selectPolicy: 'Min' } } });
    await server.request('POST', pathOf('v2'), sent);
    const condition = { type: 'AbleToScale', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };
    const status = { currentReplicas: 1, desiredReplicas: 1, conditions: [condition] };
    await server.request('PUT', `${pathOf('v2', 'kept')}/status`, { ...sent, status });
    await server.request('PUT', pathOf('v1', 'kept'), autoscaler('v1', 'kept', {}));
    expect((await get('v2', 'kept')).status).toMatchObject({ conditions: [condition] });

    await server.request('PUT', pathOf('v2', 'kept'), sent);
    await server.request('PUT', `${pathOf('v1', 'kept')}/status`, autoscaler('v1', 'kept', {}));
    expect((await get('v2', 'kept')).spec).toMatchObject({ behavior: { scaleUp: { selectPolicy: 'Min' } } });
  });

  it('are created in v1 without conditions, with the default target as a field of the creator', async () => {
    const annotations = { 'autoscaling.alpha.kubernetes.io/conditions': '[{"type":"A","status":"True"}]' };
    const { body } = await server.request('POST', pathOf('v1'), autoscaler('v1', 'new', {}, { annotations }));
    expect(body).toMatchObject({ spec: { targetCPUUtilizationPercentage: 80 } });
    expect(body.metadata).not.toHaveProperty('annotations');
    const [owner] = (body as unknown as KubeObject).metadata.managedFields ?? [];
    expect(owner?.fieldsV1).toMatchObject({ 'f:spec': { 'f:targetCPUUtilizationPercentage': {} } });
  });

  it.each([
    ['targetCPUUtilizationPercentage', { targetCPUUtilizationPercentage: -1 }, {}],
    ['a metric in an annotation', {}, { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '[{}]' } }],
  ])('report errors of %s with the path in v2', async (_name, spec, metadata) => {
    const { code, body } = await server.request(
      'POST',
      pathOf('v1'),
      autoscaler('v1', 'bad', spec, metadata),
    );
    expect(code).toBe(422);
    expect(body.message).toContain('spec.metrics[0]');
  });
});
