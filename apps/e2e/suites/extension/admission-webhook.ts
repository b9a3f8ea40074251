import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject } from '@annex/machinery';
import { createAuthority } from '@annex/testkit';

/** An admission webhook on this machine, what it was asked, and what it answers. */
export interface AdmissionWebhook {
  clientConfig: { url: string; caBundle: string };
  /** The requests of the reviews, in their order. */
  asked: JsonObject[];
  /** Answers everything with this, from now on. */
  answer(response: JsonObject): void;
  close(): void;
}

/** Starts a webhook that allows everything until it is told otherwise. */
export async function startAdmissionWebhook(): Promise<AdmissionWebhook> {
  const authority = createAuthority('webhook-ca');
  const { certificate: cert, key } = authority.issue({ commonName: 'webhook', ipAddresses: ['127.0.0.1'] });
  const asked: JsonObject[] = [];
  let response: JsonObject = { allowed: true };
  const server = createServer({ cert, key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { request, ...review } = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    if (!isObject(request)) return void res.writeHead(400).end();
    asked.push(request);
    res.end(JSON.stringify({ ...review, response: { ...response, uid: request.uid } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    clientConfig: {
      url: `https://127.0.0.1:${port}/admit`,
      caBundle: Buffer.from(authority.certificate).toString('base64'),
    },
    asked,
    answer: (given) => (response = given),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
