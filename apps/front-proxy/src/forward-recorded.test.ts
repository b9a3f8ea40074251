import { connect, type ClientHttp2Session } from 'node:http2';
import type { Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from './forward-harness.fixture.ts';
import { askHttp2, Http1Client } from './received-response.fixture.ts';
import { portOf, recordedResponses, startWriter } from './recorded-responses.fixture.ts';

let harness: Harness;
let client1: Http1Client;
let session: ClientHttp2Session;
let server: Server;

const responses = recordedResponses.map((recorded, n) => ({ ...recorded, n }));
/** Requests that must not be sent again do not reuse connections of other responses, which may close at any time. */
const posts = responses.filter(({ request }) => request?.method === 'POST').map(({ n }) => n);

beforeAll(async () => {
  harness = await startHarness();
  server = await startWriter(harness.serving);
  await harness.register('recorded.example.com', portOf(server));
  for (const n of posts) await harness.register(`recorded${n}.example.com`, portOf(server));
  client1 = new Http1Client(() => harness.dial());
  session = connect(`https://127.0.0.1:${harness.port}`, { rejectUnauthorized: false });
});
afterAll(async () => {
  client1.close();
  session.destroy();
  await harness.stop();
  server.close();
});

describe('a client receives the responses of extension servers as from kube-apiserver', () => {
  it.concurrent.each(responses)('$name', async ({ n, request = {}, client }) => {
    const path = `/apis/recorded${posts.includes(n) ? n : ''}.example.com/v1/${n}`;
    const received =
      request.version === 2
        ? await askHttp2(session, path, portOf(server), request)
        : await client1.ask(path, portOf(server), request);
    expect(received).toEqual(client);
  });
});
