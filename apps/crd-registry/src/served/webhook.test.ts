import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { WebhookClient } from '@annex/admission';
import { type TestCA, createTestCA } from '@annex/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhookConverter } from './webhook-converter.ts';

const original = (): KubeObject => ({
  apiVersion: 'example.com/v1beta1',
  kind: 'CronTab',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '7',
    labels: { a: 'b' },
    finalizers: ['x/y'],
  },
  hostPort: 'h:1',
});
const v1 = 'example.com/v1';

interface Review {
  apiVersion: string;
  request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] };
}

/** Returns the responses of a webhook that changes objects. */
const hook =
  (change: (object: KubeObject) => object, response: (review: Review) => object = () => ({})) =>
  async (body: string): Promise<string> => {
    const review = JSON.parse(body) as Review;
    const objects = review.request.objects.map((object) => change({ ...object, apiVersion: v1 }));
    const reply = { uid: review.request.uid, result: { status: 'Success' }, convertedObjects: objects };
    return JSON.stringify({
      apiVersion: review.apiVersion,
      kind: 'ConversionReview',
      response: { ...reply, ...response(review) },
    });
  };

const message = async (post: (body: string) => Promise<string>): Promise<string> => {
  const converted = Promise.resolve(webhookConverter(post, ['v1']).convert(original(), v1));
  return await converted.then(
    () => 'no error',
    (error: Error) => error.message,
  );
};
const prefix = 'conversion webhook for example.com/v1beta1, Kind=CronTab';

describe('the request to a conversion webhook', () => {
  it.each<[string, string[], string]>([
    [
      'CNV-010 in the first review version that the server supports',
      ['v9', 'v1beta1', 'v1'],
      'apiextensions.k8s.io/v1beta1',
    ],
    ['in v1 if that comes first', ['v1', 'v1beta1'], 'apiextensions.k8s.io/v1'],
    ['V1B-009 in v1beta1 if it supports no other', ['v1beta1'], 'apiextensions.k8s.io/v1beta1'],
  ])('%s', async (_name, versions, expected) => {
    let requested: Review | undefined;
    const post = hook(
      (object) => object,
      (review) => ((requested = review), {}),
    );
    await webhookConverter(post, versions).convert(original(), v1);
    expect(requested?.apiVersion).toBe(expected);
    expect(requested?.request).toMatchObject({
      desiredAPIVersion: v1,
      objects: [{ kind: 'CronTab', hostPort: 'h:1' }],
    });
    expect(requested?.request.objects[0]?.metadata).not.toHaveProperty('resourceVersion');
  });
});

describe('every call of a conversion webhook', () => {
  it('CNV-030 has a different uid', async () => {
    const uids = new Set<string>();
    const post = hook(
      (object) => object,
      (review) => (uids.add(review.request.uid), {}),
    );
    const { convert } = webhookConverter(post, ['v1']);
    await convert(original(), v1);
    await convert(original(), v1);
    expect(uids.size).toBe(2);
  });

  it('CNV-029 fails if the CRD lists no version that the server supports', async () => {
    const never = () => Promise.reject(new Error('called'));
    const converted = Promise.resolve(webhookConverter(never, ['v9']).convert(original(), v1));
    await expect(converted).rejects.toThrow('no supported conversion review versions');
  });
});

describe('the response of a conversion webhook may change', () => {
  it('CNV-006 CNV-008 all fields, labels and annotations; other metadata is kept', async () => {
    const change = ({ metadata, ...rest }: KubeObject) => ({
      ...rest,
      metadata: { ...metadata, labels: { c: 'd' }, annotations: { e: 'f' }, finalizers: [], generation: 9 },
      host: 'h',
    });
    const converted = await webhookConverter(hook(change), ['v1']).convert(original(), v1);
    expect(converted).toMatchObject({
      apiVersion: v1,
      host: 'h',
      metadata: { labels: { c: 'd' }, annotations: { e: 'f' }, finalizers: ['x/y'], resourceVersion: '7' },
    });
    expect(converted.metadata.generation).toBeUndefined();
  });

  const rename = (metadata: JsonObject) => (object: KubeObject) => ({
    ...object,
    metadata: { ...object.metadata, ...metadata },
  });
  it.each<[string, (body: string) => Promise<string>, string]>([
    [
      'CNV-007 CNV-038 not another name',
      hook(rename({ name: 'b' })),
      `${prefix} returned invalid object: must have the same name: a != b`,
    ],
    [
      'CNV-007 not another uid',
      hook(rename({ uid: 'v' })),
      `${prefix} returned invalid object: must have the same UID: u != v`,
    ],
    [
      'CNV-007 not another namespace',
      hook(rename({ namespace: 'n' })),
      `${prefix} returned invalid object: must have the same namespace: default != n`,
    ],
    [
      'CNV-037 not another version',
      hook((o) => ({ ...o, apiVersion: 'example.com/v2' })),
      `${prefix} returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v2)`,
    ],
    [
      'CNV-038 not another kind',
      hook((o) => ({ ...o, kind: 'Foo' })),
      `${prefix} returned invalid object at index 0: invalid kind (expected CronTab, received Foo)`,
    ],
    [
      'CNV-036 not fewer objects',
      hook(
        (o) => o,
        () => ({ convertedObjects: [] }),
      ),
      `${prefix} returned 0 objects, expected 1`,
    ],
    [
      'CNV-034 not for another request',
      hook(
        (o) => o,
        () => ({ uid: 'x' }),
      ),
      `${prefix} failed: expected response.uid="<uid>", got "x"`,
    ],
    [
      'CNV-041 CNV-042 a failure with a message',
      hook(
        (o) => o,
        () => ({ result: { status: 'Failed', message: 'no port' } }),
      ),
      `${prefix} failed: no port`,
    ],
    [
      'CNV-035 no result',
      hook(
        (o) => o,
        () => ({ result: {} }),
      ),
      `${prefix} failed: response.result.status was '', not 'Success'`,
    ],
    [
      'labels that are valid',
      hook(rename({ labels: { a: 'not valid!' } })),
      `${prefix} returned invalid metadata: metadata.labels: Invalid value: "not valid!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ])('%s', async (_name, post, expected) => {
    expect((await message(post)).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '<uid>')).toBe(expected);
  });
});

describe('the connection to a conversion webhook', () => {
  let ca: TestCA;
  let server: Server | undefined;
  beforeAll(() => {
    ca = createTestCA('hook-ca');
  });
  afterEach(() => server?.close());

  async function listen(
    names: string[],
    response: (path: string, servername: string, sent: string) => [number, string],
  ): Promise<number> {
    const { certificate, key } = ca.issue({ commonName: names[0] ?? '', dnsNames: names });
    server = createServer({ cert: certificate, key }, (req, res) => {
      const { servername = '' } = req.socket as { servername?: string };
      const [status, body] = response(
        req.url ?? '',
        servername,
        `${req.method} ${req.headers['content-type']}`,
      );
      res.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }
  const unused = () => {
    throw new Error('not asked');
  };
  const bundle = () => Buffer.from(ca.certificate).toString('base64');

  it('CNV-025 a service is dialed at its resolved address, and verified by its name', async () => {
    const port = await listen(['hook.ns.svc'], (path, servername) => [200, `${servername}${path}`]);
    const service = { name: 'hook', namespace: 'ns', port: 1234, path: '/my-path' };
    const client = new WebhookClient({ service, caBundle: bundle() }, () => ({ host: '127.0.0.1', port }));
    expect(await client.post('{}')).toBe('hook.ns.svc/my-path?timeout=30s');
    client.close();
  });

  it('CNV-012 CNV-024 CNV-026 a service is sent JSON by POST, to its root if it has no path', async () => {
    const port = await listen(['hook.ns.svc'], (path, _, sent) => [200, `${sent} ${path}`]);
    const service = { name: 'hook', namespace: 'ns' };
    const client = new WebhookClient({ service, caBundle: bundle() }, () => ({ host: '127.0.0.1', port }));
    expect(await client.post('{}')).toBe('POST application/json /?timeout=30s');
    client.close();
  });

  it('a response without a body is an error', async () => {
    const port = await listen(['localhost'], () => [200, '']);
    const client = new WebhookClient({ url: `https://localhost:${port}`, caBundle: bundle() }, unused);
    await expect(client.post('{}')).rejects.toThrow(
      '0-length response with status code: 200 and content type: application/json',
    );
    client.close();
  });

  it('a certificate for another name is not trusted', async () => {
    const port = await listen(['other.example.com'], () => [200, '{}']);
    const client = new WebhookClient({ url: `https://localhost:${port}/x`, caBundle: bundle() }, unused);
    await expect(client.post('{}')).rejects.toThrow(
      'tls: failed to verify certificate: x509: certificate is valid for other.example.com, not localhost',
    );
    client.close();
  });

  it('CNV-033 an unsuccessful response fails with Go’s message', async () => {
    const port = await listen(['localhost'], () => [500, '{"oops":true}']);
    const client = new WebhookClient({ url: `https://localhost:${port}`, caBundle: bundle() }, unused);
    await expect(client.post('{}')).rejects.toThrow(
      'an error on the server ("unknown") has prevented the request from succeeding',
    );
    client.close();
  });

  it('CNV-021 without the CA the certificate is not trusted', async () => {
    const port = await listen(['localhost'], () => [200, '{}']);
    const client = new WebhookClient({ url: `https://localhost:${port}/x` }, unused);
    await expect(client.post('{}')).rejects.toThrow(
      `Post "https://localhost:${port}/x?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    client.close();
  });

  it('a missing service is named in the error', async () => {
    const missing = () => {
      throw Object.assign(new Error('service/x is not present'), { reason: 'ServiceNotFound' });
    };
    const client = new WebhookClient({ service: { name: 'x', namespace: 'ns', path: '/c' } }, missing);
    await expect(client.post('{}')).rejects.toThrow(
      'Post "https://x.ns.svc:443/c?timeout=30s": service "x" not found',
    );
    client.close();
  });
});
