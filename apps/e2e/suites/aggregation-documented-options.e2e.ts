import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Client, type ClientResponse } from '@annex/client';
import {
  apiServiceManifest,
  createTestCA,
  externalServiceManifest,
  type Credential,
  loadTestCA,
  tempFolder,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/

const folder = tempFolder('annex-options-');
const file = (name: string, text: string): string => {
  writeFileSync(join(folder.path, name), text, { mode: 0o600 });
  return join(folder.path, name);
};
const proxies = createTestCA('aggregator-ca');
const proxyClient = proxies.issue({ commonName: 'front-proxy-client' });
const extensions = createTestCA('extension-ca');

let annex: Runner;
const clients: Client[] = [];
const servers: Server[] = [];

const clientOf = (credential?: Credential, token?: string): Client => {
  const client = new Client({
    server: annex.url,
    ca: readFileSync(join(annex.pki, 'ca.crt'), 'utf8'),
    ...(credential ? { cert: credential.certificate, key: credential.key } : {}),
    ...(token ? { token } : {}),
  });
  clients.push(client);
  return client;
};
const person = (commonName: string, ...organizations: string[]): Client =>
  clientOf(loadTestCA(annex.pki).issue({ commonName, organizations }));

/** A request as an extension server received it: the identity of its connection, and the user in its headers. */
interface Seen {
  path: string;
  certificate: string;
  headers: IncomingHttpHeaders;
}

async function extension(name: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  const host = `${name}.default.svc`;
  const { certificate, key } = extensions.issue({ commonName: host, dnsNames: [host] });
  const tls = { cert: certificate, key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, (req, res) => {
    const peer = (req.socket as TLSSocket).getPeerX509Certificate();
    seen.push({ path: req.url ?? '', certificate: peer?.fingerprint256 ?? '', headers: req.headers });
    res.setHeader('content-type', 'application/json').end('{}');
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const admin = person('admin', 'system:masters');
  const create = (path: string, body: object) => admin.json({ method: 'POST', path, body });
  await create('/api/v1/namespaces/default/services', externalServiceManifest(name));
  const group = `${name}.example.com`;
  const { port } = server.address() as AddressInfo;
  const ca = extensions.certificate;
  await create(
    '/apis/apiregistration.k8s.io/v1/apiservices',
    apiServiceManifest({ group, service: name, port, ca }),
  );
  const served = async () => (await admin.send({ path: `/apis/${group}/v1` })).status === 200;
  await vi.waitUntil(served, { timeout: patienceMs });
  return seen;
}

let first: Seen[];
let second: Seen[];

beforeAll(async () => {
  annex = await startSingle({
    ephemeral: true,
    args: [
      `--requestheader-client-ca-file=${file('aggregator-ca.crt', proxies.certificate)}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--proxy-client-cert-file=${file('proxy.crt', proxyClient.certificate)}`,
      `--proxy-client-key-file=${file('proxy.key', proxyClient.key)}`,
      '--enable-aggregator-routing=true',
    ],
  });
  first = await extension('one');
  second = await extension('two');
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
  await annex.stop();
  folder[Symbol.dispose]();
});

/** Returns the requests without those of Annex itself. */
const ofPeople = (seen: readonly Seen[]): Seen[] =>
  seen.filter(({ headers }) => !String(headers['x-remote-user']).startsWith('system:'));

const things = '/apis/one.example.com/v1/namespaces/default/things';
const status = async (response: Promise<ClientResponse>): Promise<number> => (await response).status;

describe('AGG-032 started with the documented options, the front', () => {
  it('AGG-009 AGG-010 AGG-013 AGG-019 publishes the CA, the names and the headers for extension servers', async () => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const { data } = await person('admin', 'system:masters').json<{ data: Record<string, string> }>({ path });
    const notified = new X509Certificate(data['requestheader-client-ca-file'] ?? '');
    expect(notified.fingerprint256).toBe(new X509Certificate(proxies.certificate).fingerprint256);
    expect(data).toMatchObject({
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    });
  });

  it('AGG-007 AGG-008 AGG-014 shows the one certificate to every extension server, and has its key', async () => {
    const { fingerprint256 } = new X509Certificate(proxyClient.certificate);
    expect(new Set([...first, ...second].map(({ certificate }) => certificate))).toEqual(
      new Set([fingerprint256]),
    );
    expect(second.length).toBeGreaterThan(0);
  });

  it('AGG-003 responds to unauthenticated clients itself, and does not forward their requests', async () => {
    const before = ofPeople(first).length;
    expect(await status(clientOf(undefined, 'nonsense').send({ path: things }))).toBe(401);
    const foreign = createTestCA('foreign').issue({
      commonName: 'admin',
      organizations: ['system:masters'],
    });
    expect(await status(clientOf(foreign).send({ path: things }))).toBe(401);
    expect(await status(clientOf().send({ path: things }))).toBe(403);
    expect(ofPeople(first)).toHaveLength(before);
  });

  it('AGG-002 AGG-004 authenticates, authorizes, and forwards with the user', async () => {
    const before = ofPeople(first).length;
    const jane = person('jane', 'dev');
    expect(await status(jane.send({ path: things }))).toBe(403);
    expect(ofPeople(first)).toHaveLength(before);
    const admin = person('admin', 'system:masters');
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const metadata = { name: 'things' };
    const rules = [{ apiGroups: ['one.example.com'], resources: ['things'], verbs: ['list'] }];
    await admin.json({
      method: 'POST',
      path: `${rbac}/clusterroles`,
      body: { apiVersion, kind: 'ClusterRole', metadata, rules },
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'things' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
    await admin.json({
      method: 'POST',
      path: `${rbac}/clusterrolebindings`,
      body: { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
    });
    await vi.waitUntil(async () => (await status(jane.send({ path: things }))) === 200);
    expect(ofPeople(first).at(-1)).toMatchObject({
      path: things,
      headers: { 'x-remote-user': 'jane', 'x-remote-group': 'dev, system:authenticated' },
    });
  });

  it('AGG-033 AGG-039 authenticates users with one CA and proxies with the other', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const who = async (client: Client, headers = {}) =>
      (
        await client.json<{ status: { userInfo: { username: string } } }>({
          method: 'POST',
          path,
          body,
          headers,
        })
      ).status.userInfo.username;
    expect(await who(person('jane'))).toBe('jane');
    expect(await who(clientOf(proxyClient), { 'X-Remote-User': 'bob' })).toBe('bob');
    const other = proxies.issue({ commonName: 'not-front-proxy' });
    const response = clientOf(other).send({
      method: 'POST',
      path,
      body,
      headers: { 'X-Remote-User': 'bob' },
    });
    expect(await status(response)).toBe(401);
  });
});
