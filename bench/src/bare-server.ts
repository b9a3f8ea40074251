import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

// The cost of a bare Node server: it serves for each path the body of the last PUT, and does nothing else.
const [folder = '.'] = process.argv.slice(2);
const responses = new Map<string, Buffer>();
const nothing = Buffer.from('{}');

const server = createServer(
  {
    cert: readFileSync(join(folder, 'bare.crt')),
    key: readFileSync(join(folder, 'bare.key')),
    requestCert: true,
    rejectUnauthorized: false,
    // The server is idle while the other server is measured.
    keepAliveTimeout: 90_000,
  },
  (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const path = req.url ?? '/';
      if (req.method === 'PUT') responses.set(path, Buffer.concat(chunks));
      const body = responses.get(path) ?? nothing;
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
    });
  },
);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`the bare server listens on ${(server.address() as AddressInfo).port}\n`);
});
