import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientConfig } from '@annex/client';
import { createTestCA, startProcess, tempFolder } from '@annex/testkit';
import { Api } from './api.ts';

/** A server of node:https without other code, in a separate process. */
export interface Bare extends AsyncDisposable {
  config: ClientConfig;
  port: number;
  pid: number;
  api: Api;
}

const main = fileURLToPath(new URL('bare-server.ts', import.meta.url));

/** Starts the server with an additional name besides `localhost`. */
export async function startBare(name: string): Promise<Bare> {
  const folder = tempFolder('annex-bare-');
  const ca = createTestCA('bare-ca');
  const { certificate, key } = ca.issue({ commonName: name, dnsNames: [name, 'localhost'] });
  writeFileSync(join(folder.path, 'bare.crt'), certificate);
  writeFileSync(join(folder.path, 'bare.key'), key, { mode: 0o600 });
  const running = await startProcess(process.execPath, {
    args: [main, folder.path],
    until: /listens on (\d+)/,
  });
  const port = Number(running.ready?.[1]);
  const config = { server: `https://localhost:${port}`, ca: ca.certificate };
  const api = new Api(config);
  return {
    config,
    port,
    pid: running.pid,
    api,
    async [Symbol.asyncDispose]() {
      api.close();
      await running.stop();
      folder[Symbol.dispose]();
    },
  };
}
