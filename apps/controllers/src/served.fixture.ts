import {
  alwaysAllowGroups,
  issueServingCertificate,
  newCertificateAuthority,
  privilegedGroup,
  unionAuthorizer,
} from '@annex/auth';
import { Client, type ClientConfig } from '@annex/client';
import { createMetrics, nullLogger, systemClock } from '@annex/runtime';
import {
  builtinKinds,
  createListener,
  createResourceApp,
  KindRegistry,
  registryDiscovery,
  requestSteps,
  type ServerDeps,
  sendJson,
} from '@annex/server';
import { createFeed, createMemoryStore } from '@annex/storage';
import { Api } from './api.ts';

/** An API server with the built-in kinds as they were recorded, in memory, where everybody may do everything. */
export interface Served {
  client: ClientConfig;
  api: Api;
  stop(): Promise<void>;
}

const groups = new Set(['', 'coordination.k8s.io', 'rbac.authorization.k8s.io']);

export async function serveKinds(): Promise<Served> {
  const store = createMemoryStore();
  const feed = createFeed(store);
  const deps: ServerDeps = { store, feed, clock: systemClock, log: nullLogger, metrics: createMetrics() };
  const kinds = new KindRegistry();
  for (const kind of builtinKinds((group) => groups.has(group))) kinds.add(kind);
  const documents = { paths: () => [], document: () => undefined };
  const discovery = registryDiscovery(kinds, documents);
  const app = createResourceApp({ name: 'test', deps, kinds, discovery });
  await feed.start();
  await app.start();
  const authority = await newCertificateAuthority('ca');
  const serving = await issueServingCertificate(authority, {
    commonName: 'a',
    subjectAltNames: ['127.0.0.1'],
  });
  const listener = createListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: serving.cert,
    key: serving.key,
    clock: systemClock,
    steps: requestSteps({
      ...deps,
      identityHeaders: [],
      requestTimeoutMs: 10_000,
      maxInFlight: 0,
      authenticator: {
        name: 'test',
        authenticate: () => ({ user: { name: 'admin', groups: [privilegedGroup], extra: {} }, by: 'test' }),
      },
      authorizer: unionAuthorizer([alwaysAllowGroups(privilegedGroup)]),
      backend: {
        async handle(ctx) {
          if (ctx.path !== '/api' && ctx.path !== '/apis') return await app.handle(ctx);
          const all = await discovery.groups();
          const items = all.filter(
            ({ metadata }) => ((metadata.name ?? '') === '') === (ctx.path === '/api'),
          );
          sendJson(ctx, 200, { kind: 'APIGroupDiscoveryList', items });
        },
      },
    }),
  });
  const port = await listener.start();
  const config: ClientConfig = { server: `https://127.0.0.1:${port}`, ca: authority.cert, protocol: 'h2' };
  const client = new Client(config);
  return {
    client: config,
    api: new Api(client, new AbortController().signal, nullLogger),
    async stop() {
      client.close();
      await listener.stop(0);
      await app.stop();
      await feed.close();
      await store.close();
    },
  };
}
