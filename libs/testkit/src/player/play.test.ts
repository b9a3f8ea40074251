import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestCA } from '../certificates.ts';
import { tempFolder } from '../temp-folder.ts';
import { playRecording } from './play.ts';
import type { RecordedStep, Recording } from './recording.ts';
import { createTarget, type Target } from './target.ts';

// A server that returns the user, counts its requests, and streams two events.
const folder = tempFolder();
const ca = createTestCA('ca');
let target: Target;
let requests = 0;
const serving = ca.issue({ commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
const server = createServer(
  { cert: serving.certificate, key: serving.key, requestCert: true, rejectUnauthorized: false },
  (req, res) => {
    requests++;
    res.setHeader('content-type', 'application/json');
    if (req.url === '/watch') {
      res.write('{"type": "ADDED", "object": {"metadata": {"resourceVersion": "1"}}}\n');
      setImmediate(() => res.end('{"type": "DELETED", "object": {}}\n'));
      return;
    }
    const user = (req.socket as TLSSocket).getPeerCertificate().subject?.CN ?? null;
    res.setHeader('warning', '299 - "x"');
    res.end(JSON.stringify({ user, path: req.url, requests }));
  },
);

beforeAll(async () => {
  for (const name of ['ca', 'front-proxy-ca']) {
    writeFileSync(join(folder.path, `${name}.crt`), ca.certificate);
    writeFileSync(join(folder.path, `${name}.key`), ca.key);
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  target = createTarget(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, folder.path);
});
afterAll(() => {
  target.close();
  server.close();
  folder[Symbol.dispose]();
});

const play = (steps: RecordedStep[], more: Partial<Recording> = {}) =>
  playRecording({ name: 'test', steps, ...more }, target);
const response = { status: 200, headers: { 'content-type': 'application/json', warning: '299 - "x"' } };

test('a step is compared with the recording', async () => {
  const step = (id: string, path: string, user: string | null): RecordedStep => ({
    id,
    request: { path },
    as: user === null ? 'anonymous' : { user },
    ignore: ['requests'],
    response: { ...response, body: { user, path: '/a' } },
  });
  expect(await play([step('a', '/a', 'ann'), step('b', '/a', null)])).toEqual([]);
  expect(await play([step('a', '/b', 'ann')])).toEqual(['a: .path: want "/a", got "/b"']);
});

test('an unexpected warning, status and header are reported', async () => {
  const recorded = { status: 200, headers: { 'content-type': 'text/plain', allow: 'GET' } };
  expect(await play([{ id: 'a', request: { path: '/' }, compare: 'status', response: recorded }])).toEqual([
    'a: content-type: want text/plain, got application/json',
    'a: header allow: want "GET", got null',
    'a: unexpected warning "299 - \\"x\\""',
  ]);
  const other = await play([{ id: 'a', request: { path: '/' }, response: { status: 404 } }]);
  expect(other[0]).toMatch(/^a: want status 404, got 200 /);
});

test('a step waits, and later steps use its response', async () => {
  requests = 0;
  const steps: RecordedStep[] = [
    { id: 'wait', request: { path: '/' }, until: { requests: 3 }, compare: 'none' },
    {
      id: 'use',
      request: { path: '/${steps.wait.requests}' },
      only: ['path'],
      response: { ...response, body: { path: '/3' } },
    },
  ];
  expect(await play(steps)).toEqual([]);
});

test('events of a watch are compared', async () => {
  const steps: RecordedStep[] = [
    { id: 'w', watch: '/watch' },
    {
      id: 'got',
      events: { watch: 'w', closed: true },
      response: {
        status: 200,
        events: [
          { type: 'ADDED', object: { metadata: { resourceVersion: '<rv>' } } },
          { type: 'DELETED', object: {} },
        ],
      },
    },
  ];
  expect(await play(steps)).toEqual([]);
});

test('a stopped server is reported immediately', async () => {
  const gone = createTarget('https://127.0.0.1:1', folder.path);
  const steps: RecordedStep[] = [{ id: 'a', request: { path: '/' }, response }];
  expect((await playRecording({ name: 'x', steps }, gone))[0]).toMatch(
    /^a: want status 200, got 0 .*ECONNREFUSED/,
  );
});
