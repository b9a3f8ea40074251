import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA } from '@annex/testkit';
import type { HostileServer } from './hostile-server.ts';
import { registerListener } from './register-listener.ts';

const group = 'hostile.example.com';

/** The path of its group and version. */
export const hostileRoot = `/apis/${group}/v1`;

/** Writes arbitrary bytes to the connection of a request. */
export type Attack = (req: IncomingMessage) => void;

/** Starts and registers an extension API server that attacks the front proxy; the last path segment selects the attack. */
export async function startHostileExtension(
  server: HostileServer,
  attacks: ReadonlyMap<string, Attack>,
): Promise<AsyncDisposable> {
  const ca = createTestCA('hostile-ca');
  const host = 'hostile.default.svc';
  const { certificate, key } = ca.issue({ commonName: host, dnsNames: [host] });
  const listener = createServer({ cert: certificate, key }, (req: IncomingMessage, res: ServerResponse) => {
    const attack = attacks.get(req.url?.split('/').at(-1) ?? '');
    if (attack === undefined) return void res.setHeader('Content-Type', 'application/json').end('{}');
    req.socket.on('error', () => undefined);
    attack(req);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await registerListener(
    server,
    { group, service: 'hostile', port, ca: ca.certificate },
    `${hostileRoot}/fine`,
  );
  return {
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
