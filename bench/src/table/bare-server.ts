import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { nullLogger } from '@annex/runtime';
import { openDataDir } from '@annex/storage';

// The limit of Node and the disk: a server of node:http2 that sends responses of constant length, and events to watches, writes objects
// of constant length to the embedded store, and does nothing else.
const [folder = '.'] = process.argv.slice(2);

const note = 'x'.repeat(2000);
const object = Buffer.from(`${JSON.stringify({ note })}\n`);
const review = Buffer.from(JSON.stringify({ note: note.slice(0, 600) }));

const store = await openDataDir(join(folder, 'data'), nullLogger);
/** The revisions of the objects that were patched. */
const patched = new Map<string, number>();
let created = 0;

const watches = new Set<Http2ServerResponse>();
/** The number of events. Watches begin after the one of their `resourceVersion`. */
let revision = 1;

async function respond({ method, url }: Http2ServerRequest, res: Http2ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(url, 'https://localhost');
  res.setHeader('content-type', 'application/json');
  if (query.has('watch')) return watch(res, Number(query.get('resourceVersion')));
  if (method === 'PATCH') return await patch(pathname, res);
  if (method === 'GET') {
    const list = JSON.stringify({ metadata: { resourceVersion: String(revision) } });
    return send(res, query.has('limit') ? Buffer.from(list) : object);
  }
  if (pathname.endsWith('reviews')) return send(res, review);
  await store.create(`/created/${created++}`, object);
  send(res, object);
}

function send(res: Http2ServerResponse, body: Buffer): void {
  res.setHeader('content-length', body.length);
  res.end(body);
}

async function patch(name: string, res: Http2ServerResponse): Promise<void> {
  const before = patched.get(name);
  patched.set(
    name,
    before === undefined ? await store.create(name, object) : await store.update(name, object, before),
  );
  send(res, object);
  revision++;
  for (const one of watches) one.write(object);
}

function watch(res: Http2ServerResponse, after: number): void {
  res.writeHead(200);
  for (let i = after; i < revision; i++) res.write(object);
  watches.add(res);
  res.on('close', () => watches.delete(res));
}

const server = createSecureServer(
  {
    cert: readFileSync(join(folder, 'pki', 'apiserver.crt')),
    key: readFileSync(join(folder, 'pki', 'apiserver.key')),
    requestCert: true,
    rejectUnauthorized: false,
  },
  (req, res) => {
    if (req.method === 'GET') return void respond(req, res);
    req.on('data', () => undefined);
    req.on('end', () => void respond(req, res));
  },
);
server.on('sessionError', () => undefined);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`the bare server listens on ${(server.address() as AddressInfo).port}\n`);
});
