import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { createTestCA } from '@annex/testkit';
import type { HostileServer } from './hostile-server.ts';
import { registerListener } from './register-listener.ts';

/** An extension API server that writes arbitrary bytes. */
export interface RawExtension extends AsyncDisposable {
  /** Path of its group and version. */
  readonly root: string;
  /** Returns the heads of the requests since the last call, without those of the front proxy itself. */
  seen(): string[];
  /** Sets the function that writes the response to each later request. */
  respond(write: (socket: TLSSocket, head: string) => void): void;
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

/** Starts a server and registers it for a group. */
export async function startRawExtension(server: HostileServer, group: string): Promise<RawExtension> {
  const [service = ''] = group.split('.');
  const host = `${service}.default.svc`;
  const ca = createTestCA(`${service}-ca`);
  const { certificate, key } = ca.issue({ commonName: host, dnsNames: [host] });
  const sockets = new Set<TLSSocket>();
  let heads: string[] = [];
  let response: (socket: TLSSocket, head: string) => void = (socket) => void socket.write(ok);
  const listener = createServer(
    { cert: certificate, key, requestCert: true, rejectUnauthorized: false },
    (socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      let pending = '';
      socket.on('data', (chunk: Buffer) => {
        pending += chunk.toString('latin1');
        for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
          const head = pending.slice(0, end);
          pending = pending.slice(end + 4);
          if (/^x-remote-user: system:(kube-)?aggregator$/im.test(head)) socket.write(ok);
          else {
            heads.push(head);
            response(socket, head);
          }
        }
      });
    },
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const root = `/apis/${group}/v1`;
  await registerListener(server, { group, service, port, ca: ca.certificate }, root);
  return {
    root,
    seen() {
      const all = heads;
      heads = [];
      return all;
    },
    respond(write) {
      response = write;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
