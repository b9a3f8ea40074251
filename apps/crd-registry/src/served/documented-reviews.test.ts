import type { KubeObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { webhookConverter } from './webhook-converter.ts';

// The objects and reviews that the page about versions of CRDs shows.
const stored = (metadata: KubeObject['metadata'], hostPort: string): KubeObject => ({
  kind: 'CronTab',
  apiVersion: 'example.com/v1beta1',
  metadata,
  hostPort,
});
const local = stored(
  {
    creationTimestamp: '2019-09-04T14:03:02Z',
    name: 'local-crontab',
    namespace: 'default',
    resourceVersion: '143',
    uid: '3415a7fc-162b-4300-b5da-fd6083580d66',
  },
  'localhost:1234',
);
const remote = stored(
  {
    creationTimestamp: '2019-09-03T13:02:01Z',
    name: 'remote-crontab',
    resourceVersion: '12893',
    uid: '359a83ec-b575-460d-b553-d859cedde8a0',
  },
  'example.com:2345',
);

/** Calls a webhook that responds as the page shows. Resolves to the request, and to the object or the error. */
async function converted(object: KubeObject, version: string, status: string) {
  let request: { request?: { objects: KubeObject[]; uid: string } } = {};
  const webhook = (body: string) => {
    request = JSON.parse(body) as typeof request;
    const convertedObjects = request.request?.objects.map(({ hostPort, ...rest }) => {
      const [host, port] = String(hostPort).split(':');
      return { ...rest, apiVersion: 'example.com/v1', host, port };
    });
    return Promise.resolve(
      JSON.stringify({
        apiVersion: `apiextensions.k8s.io/${version}`,
        kind: 'ConversionReview',
        response: { uid: request.request?.uid, result: { status }, convertedObjects },
      }),
    );
  };
  const [result] = await Promise.allSettled([
    (async () => await webhookConverter(webhook, [version]).convert(object, 'example.com/v1'))(),
  ]);
  const outcome = result.status === 'fulfilled' ? result.value : (result.reason as Error).message;
  return { request, outcome };
}

describe.each([
  ['FIX-028', 'v1'],
  ['FIX-029', 'v1beta1'],
])('the documented reviews', (id, version) => {
  it.each([
    ['local', local],
    ['remote', remote],
  ])(
    `${id} the webhook is sent the ConversionReview of ${version} of the page: %s-crontab`,
    async (_, object) => {
      const { request } = await converted(object, version, 'Success');
      const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
      // As in kube-apiserver, an empty response follows.
      expect(request).toMatchObject({
        apiVersion: `apiextensions.k8s.io/${version}`,
        kind: 'ConversionReview',
        request: {
          uid: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/) as string,
          desiredAPIVersion: 'example.com/v1',
          objects: [{ ...object, metadata }],
        },
      });
    },
  );
});

it.each([
  ['FIX-030 the successful response of v1', local, 'v1', { host: 'localhost', port: '1234' }],
  ['FIX-030 the successful response of v1', remote, 'v1', { host: 'example.com', port: '2345' }],
  ['FIX-031 the response of v1beta1 with Success', remote, 'v1beta1', { host: 'example.com', port: '2345' }],
])('%s converts %s', async (_, object, version, fields) => {
  const { hostPort: _hostPort, ...rest } = object;
  expect((await converted(object, version, 'Success')).outcome).toEqual({
    ...rest,
    apiVersion: 'example.com/v1',
    ...fields,
  });
});

it('FIX-031 the response of v1beta1 with Failed, as the page prints it, is an error', async () => {
  expect((await converted(local, 'v1beta1', 'Failed')).outcome).toBe(
    "conversion webhook for example.com/v1beta1, Kind=CronTab failed: response.result.status was 'Failed', not 'Success'",
  );
});
