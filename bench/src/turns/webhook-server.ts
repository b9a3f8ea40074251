import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA } from '@annex/testkit';

/** Webhooks that convert objects and admit everything. */
export interface WebhookServer extends Disposable {
  clientConfig(path: string): object;
}

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string; desiredAPIVersion?: string; objects?: { apiVersion: string }[] };
}

const patchOf = (operations: readonly object[]): string =>
  Buffer.from(JSON.stringify(operations)).toString('base64');

/** The JSON patches of mutating webhooks. */
const patches = new Map([
  ['/mutate', patchOf([{ op: 'add', path: '/metadata/annotations', value: { hooked: 'true' } }])],
  [
    '/extend',
    patchOf(
      Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: `/spec/k${i}`, value: { a: ['b', i] } })),
    ),
  ],
]);

function responseOf(path: string | undefined, { request }: Review): object {
  const { uid, desiredAPIVersion = '', objects = [] } = request;
  if (path === '/convert') {
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
    return { uid, convertedObjects, result: { status: 'Success' } };
  }
  const patch = patches.get(path ?? '');
  return { uid, allowed: true, ...(patch !== undefined && { patchType: 'JSONPatch', patch }) };
}

export async function startWebhooks(): Promise<WebhookServer> {
  const ca = createTestCA('webhooks');
  const { certificate, key } = ca.issue({ commonName: 'hooks', ipAddresses: ['127.0.0.1'], server: true });
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
      const { apiVersion, kind } = review;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion, kind, response: responseOf(request.url?.split('?')[0], review) }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const caBundle = Buffer.from(ca.certificate).toString('base64');
  return {
    clientConfig: (path) => ({ url: url + path, caBundle }),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
