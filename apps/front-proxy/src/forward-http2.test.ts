import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServerDeps } from '@annex/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  externalService,
  makeDeps,
  makePki,
  register,
  startFront,
  type TestPki,
  whenReason,
} from './forward.fixture.ts';
import { request } from 'node:https';

let pki: TestPki;
let deps: ServerDeps;
let front: Awaited<ReturnType<typeof startFront>>;
let server: Http2SecureServer;
let sessions = 0;
const gone = Promise.withResolvers<void>();

beforeAll(async () => {
  pki = await makePki();
  deps = makeDeps();
  await externalService(deps, 'ext');
  front = await startFront(deps, pki);
  const tls = { ...pki.serving, ca: pki.frontProxyCa.cert, requestCert: true, rejectUnauthorized: false };
  server = createSecureServer(tls, (req, res) => {
    if (req.url.includes('/live')) return watch(res);
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => {
      const { CN } = (req.stream.session?.socket as TLSSocket).getPeerCertificate().subject;
      const { ':method': method, ':path': path, 'x-remote-group': groups, host } = req.headers;
      res.writeHead(201, { 'content-type': 'application/json', trailer: 'x-sum' });
      res.addTrailers({ 'x-sum': '7' });
      res.write(JSON.stringify({ method, path, groups, host, CN, body, version: req.httpVersion }));
      res.end();
    });
  });
  server.on('session', () => sessions++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await register(deps, {
    group: 'two.io',
    port: (server.address() as AddressInfo).port,
    ca: pki.ca.cert,
  });
  await whenReason(deps, 'two.io', 'Passed');
});

function watch(res: Http2ServerResponse): void {
  res.writeHead(200).write('{"n":1}\n');
  res.once('close', () => gone.resolve());
}

afterAll(async () => {
  await front.stop();
  server.close();
});

const begin = (method: string, path: string) =>
  request({
    host: '127.0.0.1',
    port: front.port,
    path: `/apis/two.io/v1/${path}`,
    method,
    rejectUnauthorized: false,
  });

describe('an extension server that supports HTTP/2 only', () => {
  it('is reached, with the certificate, the user, the body and the trailers', async () => {
    const sent = begin('POST', 'things?a=1');
    sent.setHeader('te', 'trailers');
    sent.end('hello');
    const [response] = await once(sent, 'response');
    const seen = JSON.parse(Buffer.concat(await response.toArray()).toString()) as object;
    expect([response.statusCode, response.headers['content-type'], response.trailers]).toEqual([
      201,
      'application/json',
      { 'x-sum': '7' },
    ]);
    expect(seen).toEqual({
      method: 'POST',
      path: '/apis/two.io/v1/things?a=1',
      groups: 'dev, system:authenticated',
      CN: 'front-proxy-client',
      body: 'hello',
      version: '2.0',
    });
  });

  it('serves all requests on one connection, and is notified when a client disconnects', async () => {
    const before = sessions;
    const sent = begin('GET', 'live?watch=1').end();
    const [response] = await once(sent, 'response');
    const [event] = (await once(response, 'data')) as [Buffer];
    expect(event.toString()).toBe('{"n":1}\n');
    expect(sessions).toBe(before);
    sent.destroy();
    await gone.promise;
  });
});
