import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { parseOptions } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';
import storedObjects from '../../../scripts/release/stored-objects.json' with { type: 'json' };
import { startAnnex } from './annex.ts';
import { upOptions } from './up-options.ts';

/** Stores that `npm run release` wrote, one for each version, and one for each format between versions. */
const stores = new URL('../testdata/stores/', import.meta.url);

it.each(readdirSync(stores))(
  'the store %s opens: its objects are served, and can be changed',
  async (name) => {
    await using opened = new AsyncDisposableStack();
    const { path: dataDir } = opened.use(tempFolder());
    mkdirSync(join(dataDir, 'store'), { mode: 0o700 });
    writeFileSync(join(dataDir, 'store', 'data.mdb'), gunzipSync(readFileSync(new URL(name, stores))));
    const args = ['--data-dir', dataDir, '--port=0', '--controllers=', '--log-level=off'];
    const parsed = parseOptions(upOptions, args, {});
    if (parsed.kind !== 'config') throw new Error('the options are invalid');
    const annex = await startAnnex(parsed.config);
    opened.defer(async () => void (await annex.stop()));
    const client = new Client(await loadKubeconfig(annex.kubeconfig));
    opened.defer(() => client.close());
    for (const { path: list, body } of storedObjects) {
      const path = `${list}/${body.metadata.name}`;
      expect(await client.json<KubeObject>({ path })).toMatchObject(body);
      const headers = { 'content-type': 'application/merge-patch+json' };
      const labels = { release: 'next' };
      const changed = await client.json<KubeObject>({
        method: 'PATCH',
        path,
        headers,
        body: { metadata: { labels } },
      });
      expect(changed.metadata.labels).toMatchObject(labels);
    }
  },
);
