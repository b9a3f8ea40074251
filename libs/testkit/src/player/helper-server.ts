import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { type TestCA, createTestCA } from '../certificates.ts';
import { reply, type HelperResponse, type HelperSpec } from './helper-responses.ts';
import { printJson } from './scalars.ts';

/** A server on the loopback interface that the API server under test calls. */
export interface HelperServer {
  readonly name: string;
  readonly port: number;
  /** The reviews that it has received. */
  readonly calls: unknown[];
  /** The values of `${server.NAME.…}` in a recording. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Stops the server: new connections are refused. */
  stop(): void;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Starts a helper. Extension API servers verify client certificates with the front-proxy CA. */
export async function startHelper(
  name: string,
  spec: HelperSpec,
  frontProxyCa: string,
): Promise<HelperServer> {
  const ca = createTestCA(`${name}-ca`);
  const calls: unknown[] = [];
  const server = serve(spec, ca, frontProxyCa, calls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    name,
    port,
    calls,
    values: {
      url: `https://127.0.0.1:${port}`,
      host: 'localhost',
      port,
      caBundle: base64(ca.certificate),
      wrongCaBundle: base64(createTestCA('wrong').certificate),
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function serve(spec: HelperSpec, ca: TestCA, frontProxyCa: string, calls: unknown[]): Server {
  const dnsNames = ['localhost', ...(spec.dnsNames ?? [])];
  const { certificate, key } = ca.issue({
    commonName: dnsNames.at(-1) ?? 'localhost',
    dnsNames,
    ipAddresses: ['127.0.0.1'],
  });
  const verify =
    spec.kind === 'extension' ? { ca: frontProxyCa, requestCert: true, rejectUnauthorized: false } : {};
  const server = createServer({ cert: certificate, key, ...verify }, (message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('error', () => undefined);
    message.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      send(reply(spec, { message, body, calls }), message.method === 'HEAD', response).catch(() =>
        response.destroy(),
      );
    });
  });
  // Clients without a certificate are accepted; clients with an invalid one are not.
  server.on('secureConnection', (socket: TLSSocket) => {
    const presented = Object.keys(socket.getPeerCertificate() ?? {}).length > 0;
    if (spec.kind === 'extension' && presented && !socket.authorized) socket.destroy();
  });
  server.on('tlsClientError', () => undefined);
  return server;
}

async function send(reply: HelperResponse, bodiless: boolean, response: ServerResponse): Promise<void> {
  if (reply.delay !== undefined) await wait(reply.delay * 1000);
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
  if (reply.stream === undefined) {
    response.end(bodiless ? undefined : (reply.text ?? printJson(reply.body)));
    return;
  }
  for (const value of reply.stream) {
    response.write(`${printJson(value)}\n`);
    await wait(100);
  }
  response.end();
}
