import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject } from '@annex/machinery';
import { createTestCA } from '@annex/testkit';

/** An admission webhook on this machine, with the received requests and a configurable response. */
export interface AdmissionWebhook {
  clientConfig: { url: string; caBundle: string };
  /** The requests of the received reviews, in order. */
  requested: JsonObject[];
  /** Sets the response to all later reviews. */
  response(response: JsonObject): void;
  close(): void;
}

/** Starts a webhook that allows everything by default. */
export async function startAdmissionWebhook(): Promise<AdmissionWebhook> {
  const ca = createTestCA('webhook-ca');
  const { certificate: cert, key } = ca.issue({ commonName: 'webhook', ipAddresses: ['127.0.0.1'] });
  const requested: JsonObject[] = [];
  let response: JsonObject = { allowed: true };
  const server = createServer({ cert, key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { request, ...review } = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    if (!isObject(request)) return void res.writeHead(400).end();
    requested.push(request);
    res.end(JSON.stringify({ ...review, response: { ...response, uid: request.uid } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/admit`,
      caBundle: Buffer.from(ca.certificate).toString('base64'),
    },
    requested,
    response: (provided) => (response = provided),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
