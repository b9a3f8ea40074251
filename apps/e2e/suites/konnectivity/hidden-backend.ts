import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestCA } from '@annex/testkit';

/** A host that only a proxy resolves. */
export const hidden = 'hidden.invalid';
/** The group version that the backend serves. */
export const hiddenPath = '/apis/hidden.example.com/v1';
/** The only token that is authenticated, and the path that its user may read. */
export const [hiddenToken, hiddenUser] = ['hidden-token', 'hidden-user'];

/** An extension API server and all webhooks, behind a proxy. */
export interface HiddenBackend extends Disposable {
  port: number;
  /** The users of the audit events that have arrived. */
  readonly audited: ReadonlySet<string>;
}

interface Review {
  apiVersion: string;
  kind: string;
  spec: { token?: string; user?: string };
  items: { user: { username: string } }[];
  request: { uid: string; desiredAPIVersion: string; objects: object[] };
}

export async function startHiddenBackend(ca: TestCA): Promise<HiddenBackend> {
  const { certificate, key } = ca.issue({
    commonName: 'hidden',
    dnsNames: ['hidden.default.svc', hidden],
    ipAddresses: ['127.0.0.1'],
  });
  const audited = new Set<string>();
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.startsWith(hiddenPath)) return void response.end('{"kind":"Seen","apiVersion":"v1"}');
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
    for (const { user } of review.items ?? []) audited.add(user.username);
    response.end(JSON.stringify(decide(review)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    audited,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Responds as a webhook of each kind: admission is denied, objects are converted, one token and one user are known. */
function decide({ apiVersion, kind, spec, request }: Review): object {
  const head = { apiVersion, kind };
  if (kind === 'TokenReview') {
    const authenticated = spec.token === hiddenToken;
    return { ...head, status: { authenticated, user: { username: hiddenUser } } };
  }
  if (kind === 'SubjectAccessReview') return { ...head, status: { allowed: spec.user === hiddenUser } };
  if (kind === 'ConversionReview') {
    const { uid, desiredAPIVersion, objects } = request;
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
    return { ...head, response: { uid, convertedObjects, result: { status: 'Success' } } };
  }
  const denied = { uid: request?.uid, allowed: false, status: { message: 'hook' } };
  return { ...head, response: denied };
}
