import { type TestResponse, memoryDeps, send, serve } from '@annex/app-testkit';
import { createLogger } from '@annex/runtime';
import { type AdmissionPlugin, servedApis, type ServerDeps } from '@annex/server';
import type { Store } from '@annex/storage';
import { createCrdRegistry, type CrdRegistryConfig } from './app.ts';
import type { Crd } from './crd/crd.ts';

/** The CRD registry over TLS, with a client of the administrator. */
export interface Registry {
  deps: ServerDeps;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<TestResponse>;
  /** Creates a CRD and waits until it is established, or until the predicate matches. */
  establish(crd: object, until?: (crd: Crd | undefined) => boolean): Promise<Crd>;
  /** Waits until the predicate matches a CRD, or `undefined` when it is gone. */
  until(name: string, predicate: (crd: Crd | undefined) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

export const hasCondition = (type: string, status: string) => (crd: Crd | undefined) =>
  crd?.status?.conditions?.some((condition) => condition.type === type && condition.status === status) ??
  false;

interface Options extends CrdRegistryConfig {
  quiet?: boolean;
  runtimeConfig?: readonly string[];
  plugins?: (deps: ServerDeps) => readonly AdmissionPlugin[];
}

/** Starts the registry, by default with a new store. */
export async function serveRegistry(
  { quiet, runtimeConfig, plugins, ...config }: Options = {},
  shared?: Store,
): Promise<Registry> {
  const log = createLogger({ level: quiet ? 'off' : 'error', format: 'text' });
  const memory = memoryDeps({ log, ...(shared === undefined ? {} : { store: shared }) });
  const deps = { ...memory, servedApis: servedApis(runtimeConfig) };
  const app = createCrdRegistry(deps, { ...config, ...(plugins ? { admission: plugins(deps) } : {}) });
  await app.start();
  const served = await serve(deps, app);
  const client = served.connect();
  const request: Registry['request'] = (...request) => send(client, ...request);
  return {
    deps,
    request,
    async establish(crd, until = hasCondition('Established', 'True')) {
      const { code, body } = await request('POST', crds, crd);
      if (code !== 201) throw new Error(JSON.stringify(body));
      const name = body.metadata.name ?? '';
      await seen(deps, name, until);
      return newest(deps, name) as Crd;
    },
    until: (name, predicate) => seen(deps, name, predicate),
    async stop() {
      await served.stop();
      await app.stop();
      await deps.feed.close();
      if (shared === undefined) await deps.store.close();
    },
  };
}

const newest = (deps: ServerDeps, name: string): Crd | undefined =>
  deps.feed.objects(prefix).get(prefix + name)?.value.object as Crd | undefined;

/** Resolves when the watch cache contains a CRD that matches the predicate. */
async function seen(
  deps: ServerDeps,
  name: string,
  predicate: (crd: Crd | undefined) => boolean,
): Promise<void> {
  const cache = deps.feed.objects(prefix);
  await cache.waitFor();
  if (predicate(newest(deps, name))) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = cache.subscribe(prefix, cache.revision, {
    onEvent: () => {
      if (predicate(newest(deps, name))) resolve();
    },
    onError: reject,
  });
  await promise.finally(end);
}
