import { allowMasters, memoryDeps, type TestResponse, send, serve } from '@annex/app-testkit';
import type { Authorizer } from '@annex/auth';
import { builtinKinds, type ExtendedKind, KindRegistry, registryDiscovery } from '@annex/kinds';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { builtinDocuments } from '@annex/openapi';
import { createResourceApp } from '@annex/server';
import { afterAll, beforeAll } from 'vitest';
import { admissionPlugins } from './admission-plugins.ts';

/** A client of the served kinds. */
export interface ServedKinds {
  /** Sends a request of an administrator. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<TestResponse>;
  /** Creates an object, and returns the created object or a Status. */
  create(path: string, object: JsonObject): Promise<KubeObject>;
}

interface ServedKindsOptions {
  /** The metadata of the namespaces that exist. Default: the namespace `ns`. */
  namespaces?: readonly JsonObject[];
  /** Used instead of the extensions of the core API. */
  extended?: readonly ExtendedKind[];
  /** Plugins that are off by default. */
  enabled?: readonly string[];
  /** Asked by the plugins. Default: allows administrators. */
  authorizer?: Authorizer;
}

/** Serves the recorded kinds behind the default admission plugins, over TLS, with a memory store, while a test file runs. */
export function servedKinds({
  namespaces = [{ name: 'ns' }],
  extended = [],
  enabled = [],
  authorizer = allowMasters,
}: ServedKindsOptions = {}): ServedKinds {
  let server: Pick<ServedKinds, 'request'> & { stop(): Promise<void> };
  const request: ServedKinds['request'] = (...args) => server.request(...args);
  const create: ServedKinds['create'] = async (path, object) => (await request('POST', path, object)).body;
  beforeAll(async () => {
    server = await start({ extended, enabled, authorizer });
    for (const metadata of namespaces) await create('/api/v1/namespaces', { metadata });
  });
  afterAll(() => server.stop());
  return { request, create };
}

async function start({ authorizer, enabled, extended }: Required<Omit<ServedKindsOptions, 'namespaces'>>) {
  const deps = memoryDeps();
  const kinds = new KindRegistry();
  for (const kind of builtinKinds(undefined, extended)) kinds.add(kind);
  const app = createResourceApp({
    name: 'kinds',
    deps,
    kinds,
    discovery: registryDiscovery(
      kinds,
      builtinDocuments(kinds, () => true),
    ),
    admission: admissionPlugins(deps, authorizer, {
      enableAdmissionPlugins: enabled,
      disableAdmissionPlugins: [],
    }),
  });
  await app.start();
  const served = await serve(deps, app);
  const client = served.connect();
  return {
    request: (...request: Parameters<ServedKinds['request']>) => send(client, ...request),
    async stop() {
      await served.stop();
      await app.stop();
      await deps.feed.close();
      await deps.store.close();
    },
  };
}
