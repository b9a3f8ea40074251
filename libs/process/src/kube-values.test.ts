import { loadProtobuf } from '@annex/kinds';
import { createMemoryStore } from '@annex/storage';
import { describe, expect, it } from 'vitest';
import { readingKubeValues } from './kube-values.ts';

const { encodeProtobuf } = await loadProtobuf();

async function reading(key: string, value: Uint8Array) {
  const store = createMemoryStore();
  await store.create(key, value);
  const { entry } = await (await readingKubeValues(store)).get(key);
  return {
    ...entry!,
    object: entry!.unreadable === undefined ? (JSON.parse(String(entry!.value)) as object) : {},
  };
}

describe('values that kube-apiserver wrote', () => {
  const claim = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'a' }, spec: {} };
  const event = { kind: 'Event', apiVersion: 'v1', metadata: { name: 'a' }, reason: 'Tested' };
  const job = {
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: { name: 'a' },
    spec: { template: { metadata: { labels: { 'job-name': 'a' } }, spec: { restartPolicy: 'Never' } } },
  };
  it.each([
    [
      'in protobuf',
      'configmaps',
      { kind: 'ConfigMap', apiVersion: 'v1', metadata: {}, data: { a: 'b' } },
      {},
    ],
    ['the zero values that Go writes', 'events', event, { eventTime: null, lastTimestamp: null, source: {} }],
    ['the defaults of reads', 'persistentvolumeclaims', claim, { status: { phase: 'Pending' } }],
    ['labels of the template', 'jobs', job, { metadata: { name: 'a', labels: { 'job-name': 'a' } } }],
  ])('%s (%s)', async (_title, resource, object, more) => {
    const { object: read } = await reading(`/registry/${resource}/default/a`, encodeProtobuf(object)!);
    expect(read).toMatchObject({ ...object, ...more });
  });

  it('in a version that is stored and not served', async () => {
    const object = {
      kind: 'MutatingAdmissionPolicyBinding',
      apiVersion: 'admissionregistration.k8s.io/v1',
      metadata: {},
    };
    const value = encodeProtobuf(object)!;
    // The version is longer by four bytes: so are its field, and the field of the type around it.
    const beta = Buffer.from(value.toString('latin1').replace('/v1', '/v1beta1'), 'latin1');
    beta[5]! += 5;
    beta[7]! += 5;
    const { object: read, unreadable } = await reading('/registry/mutatingadmissionpolicybindings/a', beta);
    expect(unreadable).toBeUndefined();
    expect(read).toMatchObject(object);
  });

  it('CustomResourceDefinitions in v1beta1', async () => {
    const schema = { openAPIV3Schema: { type: 'object' } };
    const stored = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        version: 'v1',
        validation: schema,
        additionalPrinterColumns: [{ name: 'a', type: 'string', JSONPath: '.spec.a' }],
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ],
        conversion: {
          strategy: 'Webhook',
          webhookClientConfig: { url: 'https://a' },
          conversionReviewVersions: ['v1'],
        },
        preserveUnknownFields: false,
      },
    };
    const key = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
    const additionalPrinterColumns = [{ name: 'a', type: 'string', jsonPath: '.spec.a' }];
    expect((await reading(key, Buffer.from(JSON.stringify(stored)))).object).toEqual({
      ...stored,
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: {
        group: 'example.com',
        versions: [
          { name: 'v1', served: true, storage: true, schema, additionalPrinterColumns },
          { name: 'v2', served: true, storage: false, schema, additionalPrinterColumns },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] },
        },
      },
    });
  });

  it('JSON stays as it is', async () => {
    const value = Buffer.from('{"kind":"Widget"}');
    expect((await reading('/registry/example.com/widgets/default/a', value)).value).toBe(value);
  });

  it('bytes that cannot be decoded are unreadable, with the reason', async () => {
    const { unreadable } = await reading('/registry/pods/default/a', Buffer.from('k8s\0\x0a\xff', 'latin1'));
    expect(unreadable).toBe('unexpected EOF');
  });
});
