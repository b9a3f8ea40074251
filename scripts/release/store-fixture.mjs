// Writes a store of this version for the test that later versions open it: node scripts/release/store-fixture.mjs FILE [ANNEX]
// ANNEX is the command, by default that of this checkout. npm run release calls it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Client, loadKubeconfig } from '@annex/client';
import storedObjects from './stored-objects.json' with { type: 'json' };

const [file, annex = fileURLToPath(new URL('../../apps/cli/bin/annex.js', import.meta.url))] =
  process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'annex-fixture-'));
try {
  const server = spawn(process.execPath, [annex, 'up', '--data-dir', folder, '--port=0', '--controllers=']);
  const ended = once(server, 'exit');
  server.stderr.pipe(process.stderr);
  for await (const line of createInterface(server.stdout)) if (line.includes('is ready')) break;
  server.stdout.resume();
  const client = new Client(await loadKubeconfig(join(folder, 'admin.kubeconfig')));
  for (const { path, body } of storedObjects) await create(client, path, body);
  client.close();
  server.kill('SIGTERM');
  await ended;
  writeFileSync(file, gzipSync(readFileSync(join(folder, 'store', 'data.mdb')), { level: 9 }));
} finally {
  rmSync(folder, { recursive: true });
}

/** Creates an object, as soon as its kind is served. */
async function create(client, path, body) {
  for (;;) {
    try {
      return await client.json({ method: 'POST', path, body });
    } catch (error) {
      if (error.status?.code !== 404) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
