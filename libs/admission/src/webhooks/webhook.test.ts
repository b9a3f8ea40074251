import type { ExtendedKind } from '@annex/kinds';
import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { configMap, type Hook, patch, servedWebhooks } from './served-webhooks.fixture.ts';

const replicasOf = ({ spec }: KubeObject) => (spec as { replicas: number }).replicas;

const scalable: ExtendedKind = {
  group: 'apps',
  resource: 'deployments',
  subresources: {
    scale: {
      read: (parent) => ({
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd', namespace: 'ns' },
        spec: { replicas: replicasOf(parent) },
      }),
      write: (sent, parent) => ({
        ...parent,
        spec: { ...(parent.spec as object), replicas: replicasOf(sent) },
      }),
    },
  },
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

const { certificate, create, install, replies, request, sent, url } = servedWebhooks(scalable);

it("a caBundle can hold the webhook's own certificate", async () => {
  const clientConfig = { url: `${url()}/own`, caBundle: Buffer.from(certificate).toString('base64') };
  await install('Validating', { name: 'own', clientConfig });
  replies.set('/own', () => ({ allowed: false }));
  expect((await create()).message).toBe(
    'admission webhook "own.example.com" denied the request without explanation',
  );
});

describe('the requests that a webhook receives', () => {
  const seen = async (hook: Omit<Hook, 'name'>, query?: string, object?: object, namespace?: string) => {
    await install('Validating', { name: 'seen', ...hook });
    const response = await create(query, object, namespace);
    return { times: sent.get('/seen')?.length ?? 0, response };
  };

  it.each([
    ['the labels of its namespace', { namespaceSelector: { matchLabels: { team: 'a' } } }, 'labelled', {}, 1],
    ['other labels of its namespace', { namespaceSelector: { matchLabels: { team: 'a' } } }, 'ns', {}, 0],
    [
      'the labels of the object',
      { objectSelector: { matchLabels: { a: 'b' } } },
      'ns',
      { labels: { a: 'b' } },
      1,
    ],
    ['other labels of the object', { objectSelector: { matchLabels: { a: 'b' } } }, 'ns', {}, 0],
    [
      'another scope',
      {
        rules: [
          { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' },
        ],
      },
      'ns',
      {},
      0,
    ],
    [
      'rules of subresources',
      { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps/*'] }] },
      'ns',
      {},
      1,
    ],
    [
      'another operation',
      { rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['*'] }] },
      'ns',
      {},
      0,
    ],
  ])('by %s', async (_, hook, namespace, metadata, times) => {
    expect((await seen(hook, '', configMap({}, metadata), namespace)).times).toBe(times);
  });

  const autoscaler = (version: string) =>
    request('POST', `/apis/autoscaling/${version}/namespaces/ns/horizontalpodautoscalers?dryRun=All`, {
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } },
    });
  const rules = [
    {
      operations: ['*'],
      apiGroups: ['autoscaling'],
      apiVersions: ['v2'],
      resources: ['horizontalpodautoscalers'],
    },
  ];

  it('in the version of its rules, if the request has another version', async () => {
    await install('Validating', { name: 'versions', rules });
    expect((await autoscaler('v1')).message).toBe('');
    expect(sent.get('/versions')?.[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      requestKind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      object: { apiVersion: 'autoscaling/v2' },
    });
  });

  it('only in that version, with matchPolicy Exact', async () => {
    await install('Validating', { name: 'exact', rules, matchPolicy: 'Exact' });
    await autoscaler('v1');
    expect(sent.get('/exact')).toBeUndefined();
  });

  it('never those for admission configurations', async () => {
    const all = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
    await install('Validating', { name: 'all', rules: all });
    replies.set('/all', () => ({ allowed: false }));
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/test`;
    expect((await request('DELETE', path)).code).toBe(200);
  });

  it('those for a scale, as a Scale', async () => {
    await request('POST', '/apis/apps/v1/namespaces/ns/deployments', deployment);
    await install('Mutating', {
      name: 'scale',
      rules: [
        { operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] },
      ],
    });
    replies.set('/scale', () => patch({ op: 'replace', path: '/spec/replicas', value: 7 }));
    const path = '/apis/apps/v1/namespaces/ns/deployments/d/scale';
    const type = 'application/merge-patch+json';
    const { body } = await request('PATCH', path, { spec: { replicas: 2 } }, type);
    expect(body.spec).toEqual({ replicas: 7 });
    expect(sent.get('/scale')?.[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { resource: 'deployments' },
      subResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 2 } },
    });
  });
});
