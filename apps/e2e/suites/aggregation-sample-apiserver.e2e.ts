import { join } from 'node:path';
import { findTool, requireTools, tempFolder } from '@annex/testkit';
import { afterAll, describe } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { extensionPromises } from './extension/promises.contract.ts';
import { wardlePromises } from './extension/wardle-promises.contract.ts';
import {
  type Etcd,
  installSampleApiserver,
  sampleApiserver,
  startEtcd,
  startObjectStorage,
} from './extension/sample-apiserver.ts';

// Both stores on a single process. On separate processes, etcd if it is installed, because the project uses it; otherwise object-storage.
const isSingle = (process.env.ANNEX_RUNNER ?? 'single') === 'single';
const hasEtcd = findTool('etcd') !== undefined;
const stores = {
  ...(isSingle || hasEtcd ? { etcd: startEtcd } : {}),
  ...(isSingle || !hasEtcd ? { 'object-storage': startObjectStorage } : {}),
};

for (const [store, start] of Object.entries(stores)) {
  const tools = ['go', 'kubectl', ...(store === 'etcd' ? ['etcd'] : [])];
  const suite = `the Go sample-apiserver on ${store}`;
  describe.runIf(requireTools(suite, ...tools))(suite, () => {
    const folder = tempFolder('annex-sample-');
    let etcd: Etcd | undefined;
    afterAll(async () => {
      await etcd?.process.stop();
      folder[Symbol.dispose]();
    });
    extensionPromises(
      async () => {
        const binary = await installSampleApiserver();
        etcd = await start(join(folder.path, 'etcd'));
        const { url } = etcd;
        return sampleApiserver(binary, () => url);
      },
      () => startAnnex(),
      wardlePromises,
    );
  });
}
