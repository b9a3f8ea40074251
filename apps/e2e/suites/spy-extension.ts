import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA } from '@annex/testkit';
import type { HostileServer } from './hostile-server.ts';
import { registerListener } from './register-listener.ts';

/** A request as an extension API server received it. */
export interface Seen {
  method: string;
  /** The target of the request line. */
  url: string;
  /** Values by lower-case name. */
  headers: ReadonlyMap<string, readonly string[]>;
  trailers: readonly string[];
  body: string;
}

/** An extension API server that trusts every client and records its requests. */
export interface SpyExtension extends AsyncDisposable {
  /** Returns the requests since the last call, without those of the front proxy itself. */
  seen(): Seen[];
}

const group = 'spy.example.com';
/** The path of its group and version. */
export const spyRoot = `/apis/${group}/v1`;

const spyService = '/api/v1/namespaces/default/services/spy';

/** Grants alice access to the resources of the spy. */
export async function grantSpying(server: HostileServer): Promise<void> {
  const grant = async (resource: string, body: object) => {
    const path = `/apis/rbac.authorization.k8s.io/v1/${resource}`;
    const headers = { 'Content-Type': 'application/json' };
    const { status, text } = await server.ask({ method: 'POST', path, headers, body: JSON.stringify(body) });
    // Another suite on the same server may have granted it.
    if (status !== 201 && status !== 409) throw new Error(`${path}: ${status} ${text}`);
  };
  await grant('clusterroles', {
    metadata: { name: 'spying' },
    rules: [{ apiGroups: [group], resources: ['things'], verbs: ['get', 'list', 'create'] }],
  });
  await grant('clusterrolebindings', {
    metadata: { name: 'spying' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'spying' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
}

/** Starts a spy server and registers it. */
export async function startSpy(server: HostileServer): Promise<SpyExtension> {
  const ca = createTestCA('spy-ca');
  const host = 'spy.default.svc';
  const { certificate, key } = ca.issue({ commonName: host, dnsNames: [host] });
  let seen: Seen[] = [];
  const listener = createServer({ cert: certificate, key, requestCert: true, rejectUnauthorized: false });
  listener.on('request', async (req, res) => {
    const one = await read(req).catch(() => undefined);
    if (one && !isFromAnnex(one)) seen.push(one);
    res.setHeader('Content-Type', 'application/json').end('{"kind":"Spied","apiVersion":"v1"}');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await registerListener(server, { group, service: 'spy', port, ca: ca.certificate }, `${spyRoot}/things`);
  return {
    seen() {
      const all = seen;
      seen = [];
      return all;
    },
    async [Symbol.asyncDispose]() {
      for (const path of [`/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`, spyService])
        await server.ask({ method: 'DELETE', path });
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

async function read(req: IncomingMessage): Promise<Seen> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i + 1 < req.rawHeaders.length; i += 2) {
    const name = (req.rawHeaders[i] as string).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), req.rawHeaders[i + 1] as string]);
  }
  let body = '';
  for await (const chunk of req as AsyncIterable<Buffer>) body += chunk.toString('latin1');
  return { method: req.method ?? '', url: req.url ?? '', headers, trailers: req.rawTrailers, body };
}

/** True for requests of Annex itself: discovery, documents and availability checks. */
const isFromAnnex = ({ headers }: Seen): boolean =>
  (headers.get('x-remote-user') ?? []).some(
    (name) => name === 'system:kube-aggregator' || name === 'system:aggregator',
  );
