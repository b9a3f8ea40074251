import { authenticateAs, administrator, memoryDeps, serve } from '@annex/app-testkit';
import { Client, type ClientConfig } from '@annex/client';
import { nullLogger } from '@annex/runtime';
import { createResourceApp, sendJson } from '@annex/server';
import { builtinKinds, KindRegistry, registryDiscovery, type RequestContext } from '@annex/kinds';
import { Api } from './api.ts';

/** An in-memory API server with the recorded built-in kinds, where every request is allowed. */
export interface Served {
  client: ClientConfig;
  api: Api;
  /** The requests so far, except for watches: `METHOD uri`. */
  requests: string[];
  stop(): Promise<void>;
}

const groups = new Set(['', 'apps', 'batch', 'coordination.k8s.io', 'rbac.authorization.k8s.io']);

export async function serveKinds(): Promise<Served> {
  const deps = memoryDeps();
  const kinds = new KindRegistry();
  for (const kind of builtinKinds((group) => groups.has(group))) kinds.add(kind);
  const documents = { paths: () => [], document: () => undefined };
  const discovery = registryDiscovery(kinds, documents);
  const app = createResourceApp({ name: 'test', deps, kinds, discovery });
  const requests: string[] = [];
  const everything = {
    async handle(request: RequestContext) {
      if (request.info.verb !== 'watch') requests.push(`${request.req.method} ${request.requestUri}`);
      if (request.path !== '/api' && request.path !== '/apis') return await app.handle(request);
      const all = await discovery.groups();
      const items = all.filter(
        ({ metadata }) => ((metadata.name ?? '') === '') === (request.path === '/api'),
      );
      sendJson(request, 200, { kind: 'APIGroupDiscoveryList', items });
    },
  };
  await deps.feed.start();
  await app.start();
  const served = await serve(deps, everything, { authenticator: authenticateAs(administrator()) });
  const config: ClientConfig = { server: served.server, ca: served.ca, protocol: 'h2' };
  const client = new Client(config);
  return {
    client: config,
    requests,
    api: new Api(client, new AbortController().signal, nullLogger),
    async stop() {
      client.close();
      await served.stop();
      await app.stop();
      await deps.feed.close();
      await deps.store.close();
    },
  };
}
