import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { apiServiceManifest, createAuthority, externalServiceManifest } from '@annex/testkit';
import type { HostileServer } from './hostile-server.ts';
import { patienceMs } from './patience.ts';

const group = 'hostile.example.com';

/** The path of its group and version. */
export const hostileRoot = `/apis/${group}/v1`;

/** Writes whatever it wants to the connection of a request. */
export type Attack = (req: IncomingMessage) => void;

/** Starts an extension API server that attacks the front proxy, by the end of the path, and registers it. */
export async function startHostileExtension(
  server: HostileServer,
  attacks: ReadonlyMap<string, Attack>,
): Promise<AsyncDisposable> {
  const authority = createAuthority('hostile-ca');
  const host = 'hostile.default.svc';
  const { certificate, key } = authority.issue({ commonName: host, dnsNames: [host] });
  const listener = createServer({ cert: certificate, key }, (req: IncomingMessage, res: ServerResponse) => {
    const attack = attacks.get(req.url?.split('/').at(-1) ?? '');
    if (attack === undefined) return void res.setHeader('Content-Type', 'application/json').end('{}');
    req.socket.on('error', () => undefined);
    attack(req);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await server.make('POST', '/api/v1/namespaces/default/services', externalServiceManifest('hostile'));
  await server.make(
    'POST',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    apiServiceManifest({ group, service: 'hostile', port, authority: authority.certificate }),
  );
  await vi.waitUntil(async () => (await server.ask({ path: `${hostileRoot}/fine` })).status === 200, {
    timeout: patienceMs,
  });
  return {
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
