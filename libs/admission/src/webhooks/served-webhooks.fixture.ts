import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { TestResponse } from '@annex/app-testkit';
import type { ExtendedKind } from '@annex/kinds';
import { type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import { createTestCA } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

/** The request of an AdmissionReview. */
export type Sent = JsonObject & { uid: string; name?: string; object: KubeObject | null };

/** What a webhook returns: a response without its uid, a status code, or the text of a body. */
export type Reply = JsonObject | number | string;

/** A webhook of a configuration. Its URL ends with its name. */
export interface Hook {
  [field: string]: unknown;
  name: string;
}

const registration = 'admissionregistration.k8s.io/v1';

/** Serves kinds and webhooks while a test file runs. Each test starts without webhooks. */
export function servedWebhooks(...extended: ExtendedKind[]) {
  const ca = createTestCA('hooks');
  const { certificate: cert, key } = ca.issue({ commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
  const sent = new Map<string, Sent[]>();
  const replies = new Map<string, (request: Sent) => Reply | Promise<Reply>>();
  const hooks = createServer({ cert, key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const review = parseJson(Buffer.concat(chunks).toString()) as JsonObject;
    const request = review.request as Sent;
    const path = (req.url ?? '').split('?')[0] ?? '';
    sent.set(path, [...(sent.get(path) ?? []), request]);
    const reply = (await replies.get(path)?.(request)) ?? { allowed: true };
    if (typeof reply === 'number') res.writeHead(reply);
    const response = { ...review, response: { uid: request.uid, ...(reply as JsonObject) } };
    res.end(typeof reply === 'object' ? JSON.stringify(response) : String(reply));
  });
  const { request } = servedKinds({
    namespaces: [{ name: 'ns' }, { name: 'labelled', labels: { team: 'a' } }],
    extended,
  });
  const installed: string[] = [];
  const uninstall = async () => {
    for (const path of installed.splice(0)) await request('DELETE', path);
  };

  beforeAll(() => once(hooks.listen(0, '127.0.0.1'), 'listening'));
  afterEach(async () => {
    await uninstall();
    sent.clear();
    replies.clear();
  });
  afterAll(() => void hooks.close());

  const hooksUrl = () => `https://127.0.0.1:${(hooks.address() as AddressInfo).port}`;

  async function install(kind: 'Mutating' | 'Validating', ...webhooks: Hook[]): Promise<void> {
    const path = `/apis/${registration}/${kind.toLowerCase()}webhookconfigurations`;
    const url = hooksUrl();
    const filled = webhooks.map(({ name, ...rest }) => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(ca.certificate).toString('base64') },
      rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...rest,
    }));
    const response = await request('POST', path, {
      apiVersion: registration,
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: 'test' },
      webhooks: filled,
    });
    expect(response.message).toBe('');
    installed.push(`${path}/test`);
  }

  const create = (query = '', object: object = configMap(), namespace = 'ns'): Promise<TestResponse> =>
    request('POST', `/api/v1/namespaces/${namespace}/configmaps${query}`, object);

  return { sent, replies, request, install, uninstall, create, certificate: cert, url: hooksUrl };
}

/** A response that allows the request and changes the object. */
export const patch = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** A response that sets one key of a ConfigMap. */
export const setData = (key: string, value: string): JsonObject =>
  patch({ op: 'add', path: `/data/${key}`, value });

let count = 0;

/** A new ConfigMap, each with another name. */
export const configMap = (rest: JsonObject = {}, metadata: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `c-${++count}`, ...metadata },
  data: { x: 'y' },
  ...rest,
});
