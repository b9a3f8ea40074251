import { type TestResponse, allowMasters, memoryDeps, send, serve, tokenIsName } from '@annex/app-testkit';
import type { Client } from '@annex/client';
import { createLogger } from '@annex/runtime';
import { admissionPlugins } from '@annex/admission';
import type { ServerDeps } from '@annex/server';
import { createCoreApi } from './app.ts';
import { IpRange } from './kinds/core/services/ip-range.ts';

/** The core API over TLS with a memory store, and a client of the administrator. */
export interface ServedCoreApi {
  deps: ServerDeps;
  client: Client;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<TestResponse>;
  stop(): Promise<void>;
}

/** Starts the core API without other apps. */
export async function serveCoreApi(range = '10.0.0.0/16'): Promise<ServedCoreApi> {
  const deps = memoryDeps({ log: createLogger({ level: 'error', format: 'text' }) });
  const app = createCoreApi(deps, {
    authenticator: tokenIsName,
    admission: admissionPlugins(deps, allowMasters),
    serviceClusterIpRange: new IpRange(range),
    advertise: { address: '127.0.0.1', port: 6443 },
  });
  await app.start();
  const served = await serve(deps, app);
  const client = served.connect();
  return {
    deps,
    client,
    request: (...request) => send(client, ...request),
    async stop() {
      await served.stop();
      await app.stop();
      await deps.feed.close();
      await deps.store.close();
    },
  };
}
