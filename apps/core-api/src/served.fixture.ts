import {
  alwaysAllowGroups,
  bearerTokenAuthenticator,
  issueServingCertificate,
  newCertificateAuthority,
  privilegedGroup,
  unionAuthenticator,
  unionAuthorizer,
} from '@annex/auth';
import { Client } from '@annex/client';
import { isObject, type KubeObject, parseJson } from '@annex/machinery';
import { createLogger, createMetrics, systemClock } from '@annex/runtime';
import { createListener, admissionPlugins, requestSteps, type ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore } from '@annex/storage';
import { createCoreApi } from './app.ts';
import { IpRange } from './strategies/ip-range.ts';

/** An answer of the server with its body read. */
export interface Answer {
  code: number;
  body: KubeObject;
  warnings: string[];
  /** The message of a Status. */
  message: string;
}

/** The core API over TLS with a memory store, and an administrator who talks to it. */
export interface ServedCoreApi {
  deps: ServerDeps;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  stop(): Promise<void>;
}

/** Whoever says a name is that user, and an administrator. */
const authenticator = unionAuthenticator([
  bearerTokenAuthenticator([
    {
      name: 'test',
      authenticateToken: (token) => ({
        user: { name: token, groups: ['system:masters', 'system:authenticated'], extra: {} },
        by: 'test',
      }),
    },
  ]),
]);

/** Starts the core API alone. */
export async function serveCoreApi(range = '10.0.0.0/16'): Promise<ServedCoreApi> {
  const store = createMemoryStore();
  const log = createLogger({ level: 'error', format: 'text' });
  const deps: ServerDeps = {
    store,
    feed: createFeed(store),
    clock: systemClock,
    log,
    metrics: createMetrics(),
  };
  const app = createCoreApi(deps, {
    authenticator,
    admission: admissionPlugins(deps),
    serviceClusterIpRange: new IpRange(range),
    advertise: { address: '127.0.0.1', port: 6443 },
  });
  await app.start();
  const authority = await newCertificateAuthority('ca');
  const serving = await issueServingCertificate(authority, {
    commonName: 'a',
    subjectAltNames: ['127.0.0.1'],
  });
  const authorizer = unionAuthorizer([alwaysAllowGroups(privilegedGroup)]);
  const limits = { identityHeaders: [], requestTimeoutMs: 10_000, maxInFlight: 0 };
  const listener = createListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: serving.cert,
    key: serving.key,
    clock: systemClock,
    steps: requestSteps({ ...deps, ...limits, authenticator, authorizer, backend: app }),
  });
  const port = await listener.start();
  const client = new Client({ server: `https://127.0.0.1:${port}`, ca: authority.cert, token: 'admin' });
  return {
    deps,
    async request(method, path, body, contentType = 'application/json') {
      const headers = { 'content-type': contentType };
      const answer = await client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
      const read = parseJson(answer.body.toString());
      const warnings = [answer.headers.warning ?? []].flat();
      const object = (isObject(read) ? read : {}) as unknown as KubeObject;
      return { code: answer.status, body: object, warnings, message: String(object.message ?? '') };
    },
    async stop() {
      client.close();
      await listener.stop(0);
      await app.stop();
      await deps.feed.close();
      await deps.store.close();
    },
  };
}
