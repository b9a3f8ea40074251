import {
  alwaysAllowGroups,
  bearerTokenAuthenticator,
  issueServingCertificate,
  newCertificateAuthority,
  privilegedGroup,
  unionAuthorizer,
} from '@annex/auth';
import { Client } from '@annex/client';
import { isObject, type KubeObject, parseJson } from '@annex/machinery';
import { createLogger, createMetrics, systemClock } from '@annex/runtime';
import { type App, createListener, requestSteps, type ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore, type Store } from '@annex/storage';
import { createCrdRegistry, type CrdRegistryConfig } from './app.ts';
import type { Crd } from './definition/crd.ts';

/** An answer of the server with its body read. */
export interface Answer {
  code: number;
  body: KubeObject;
  text: string;
  warnings: string[];
}

/** The CRD registry over TLS, and an administrator who talks to it. */
export interface Registry {
  deps: ServerDeps;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** Creates a CRD and waits until it is established, or as the predicate says. */
  establish(crd: object, until?: (crd: Crd | undefined) => boolean): Promise<Crd>;
  /** Waits until a CRD is as the predicate says, or gone. */
  until(name: string, predicate: (crd: Crd | undefined) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

export const hasCondition = (type: string, status: string) => (crd: Crd | undefined) =>
  crd?.status?.conditions?.some((condition) => condition.type === type && condition.status === status) ??
  false;

/** Starts the registry, on a store of its own where none is given. */
export async function serveRegistry(
  config: CrdRegistryConfig & { quiet?: boolean } = {},
  shared?: Store,
): Promise<Registry> {
  const store = shared ?? createMemoryStore();
  const log = createLogger({ level: config.quiet ? 'off' : 'error', format: 'text' });
  const deps: ServerDeps = {
    store,
    feed: createFeed(store),
    clock: systemClock,
    log,
    metrics: createMetrics(),
  };
  const app = createCrdRegistry(deps, config);
  await app.start();
  const { client, stop } = await listen(deps, app);
  const request: Registry['request'] = async (method, path, body, contentType = 'application/json') => {
    const headers = { 'content-type': contentType };
    const answer = await client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
    const text = answer.body.toString();
    const read = text.startsWith('{') ? parseJson(text) : {};
    const object = (isObject(read) ? read : {}) as unknown as KubeObject;
    return { code: answer.status, body: object, text, warnings: [answer.headers.warning ?? []].flat() };
  };
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
      await stop();
      await app.stop();
      await deps.feed.close();
      if (shared === undefined) await store.close();
    },
  };
}

/** Serves an app on a free port, to a client that may do everything. */
async function listen(deps: ServerDeps, app: App): Promise<{ client: Client; stop(): Promise<void> }> {
  const authority = await newCertificateAuthority('ca');
  const names = { commonName: 'a', subjectAltNames: ['127.0.0.1'] };
  const serving = await issueServingCertificate(authority, names);
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'], extra: {} };
  const token = { name: 'test', authenticateToken: () => ({ user, by: 'test' }) };
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
      authenticator: bearerTokenAuthenticator([token]),
      authorizer: unionAuthorizer([alwaysAllowGroups(privilegedGroup)]),
      backend: app,
    }),
  });
  const port = await listener.start();
  const client = new Client({ server: `https://127.0.0.1:${port}`, ca: authority.cert, token: 'admin' });
  const stop = async (): Promise<void> => {
    client.close();
    await listener.stop(0);
  };
  return { client, stop };
}

const newest = (deps: ServerDeps, name: string): Crd | undefined =>
  deps.feed.objects(prefix).get(prefix + name)?.value.object as Crd | undefined;

/** Resolves when the watch cache shows a CRD that satisfies the predicate. */
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
