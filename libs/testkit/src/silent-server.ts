import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA } from './certificates.ts';

/** An HTTPS server that reads requests and never responds, or never completes its response. */
export interface SilentServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The CA of its certificate, PEM. */
  readonly ca: string;
  /** Resolves when the next request arrives. */
  requested(): Promise<unknown>;
}

/** Sends one byte of a body after another, without end. */
export function sendByteByByte(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

/** Starts a {@link SilentServer} on a free port. `begin` may begin a response. */
export async function startSilentServer(
  begin: (response: ServerResponse) => void = () => undefined,
): Promise<SilentServer> {
  const ca = createTestCA('ca of the silent server');
  const { certificate: cert, key } = ca.issue({ commonName: 'silent', dnsNames: ['localhost'] });
  const server = createServer({ cert, key }, (_request, response) =>
    begin(response.on('error', () => undefined)),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    port,
    ca: ca.certificate,
    requested: () => once(server, 'request'),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
