import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { apiServiceManifest, createTestCA, externalServiceManifest } from '@annex/testkit';

/** An extension API server on this machine that returns the client certificate's name and the user's name. */
export async function startOutsideExtension() {
  const ca = createTestCA('outside-ca');
  const host = 'outside.default.svc';
  const { certificate: cert, key } = ca.issue({ commonName: host, dnsNames: [host] });
  const listener = createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
  const clients = new Set<string | undefined>();
  listener.on('request', (req: IncomingMessage, res) => {
    clients.add(req.socket.remoteAddress);
    const certificate = (req.socket as TLSSocket).getPeerCertificate().subject?.CN;
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ certificate, user: req.headers['x-remote-user'] }));
  });
  // Containers reach this machine by the address of their bridge.
  await new Promise<void>((resolve) => listener.listen(0, '0.0.0.0', resolve));
  const { port } = listener.address() as AddressInfo;
  const registration = { group: 'outside.example.com', service: 'outside', port, ca: ca.certificate };
  return {
    /** Of its Service and its APIService. */
    manifests: [
      externalServiceManifest('outside', 'host.containers.internal'),
      apiServiceManifest(registration),
    ],
    /** The addresses that requests came from. */
    clients,
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
