import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, createMetrics, nullLogger, systemClock } from '@annex/runtime';
import { type DiscoverySource, type GroupDiscovery, createContext } from '@annex/kinds';
import { composeSteps, everythingElse, requestSteps, TraceLog } from '@annex/server';
import type { JsonObject } from '@annex/machinery';
import { createDiscovery } from './app.ts';
import type { FetchRemote, Registration, RemoteResponse, RemoteRequest } from './sources.ts';

/** A source with groups and documents that a test sets. */
export class TestSource implements DiscoverySource {
  list: GroupDiscovery[] = [];
  documents: Record<string, JsonObject> = {};
  readonly #listeners = new Set<() => void>();
  groups = () => this.list;
  openapiPaths = () => Object.keys(this.documents);
  openapi = (path: string) => this.documents[path];
  onChange = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const group = (name: string, ...versions: string[]): GroupDiscovery => ({
  metadata: name === '' ? {} : { name },
  versions: versions.map((version) => ({
    version,
    resources: [
      {
        resource: 'things',
        responseKind: { group: '', version: '', kind: 'Thing' },
        scope: 'Namespaced',
        singularResource: 'thing',
        verbs: ['get'],
      },
    ],
  })),
});

/** Returns the APIService of a short form: `version.group groupPriority/versionPriority [service]`. */
export function registration(text: string, available = true): Registration {
  const [name = '', priorities = '1000/15', service] = text.split(' ');
  const [version = '', ...rest] = name.split('.');
  const [groupPriorityMinimum = 0, versionPriority = 0] = priorities.split('/').map(Number);
  return {
    metadata: { name },
    spec: {
      group: rest.join('.'),
      version,
      groupPriorityMinimum,
      versionPriority,
      ...(service ? { service: { namespace: 'default', name: service } } : {}),
    },
    status: { conditions: [{ type: 'Available', status: available ? 'True' : 'False' }] },
  };
}

type Listener = (change: { name: string; after?: Registration }) => void;

export class TestRegistrations {
  list: Registration[] = [];
  readonly #listeners = new Set<Listener>();
  all = () => this.list;
  onChange = (listener: Listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  set(...list: Registration[]): void {
    const before = this.list;
    this.list = list;
    for (const name of new Set([...before, ...list].map(({ metadata }) => metadata.name ?? ''))) {
      const after = list.find(({ metadata }) => metadata.name === name);
      for (const listener of this.#listeners) listener({ name, ...(after && { after }) });
    }
  }
}

export const response = (
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): RemoteResponse => ({
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

/** Serves the app with a plain HTTP listener. */
export async function startDiscovery(
  remote: (request: RemoteRequest, of: Registration) => RemoteResponse,
  clock: Clock = systemClock,
) {
  const source = new TestSource();
  const registrations = new TestRegistrations();
  const fetchRemote: FetchRemote = async (of, request) => remote(request, of);
  const deps = { clock, log: nullLogger, metrics: createMetrics() };
  const app = createDiscovery(deps, {
    sources: [source],
    registrations,
    fetchRemote,
    place: () => ({ groupPriorityMinimum: 1000, versionPriority: 100 }),
    serverAddress: () => '127.0.0.1:6443',
    intervals: { regular: 60_000, retry: 5 },
  });
  await app.start();
  const run = composeSteps(
    requestSteps({
      ...deps,
      traces: new TraceLog(0),
      authenticator: {
        name: 't',
        authenticate: () => ({ user: { name: 'u', groups: [], extra: {} }, by: 't' }),
      },
      authorizer: { name: 't', authorize: () => ({ decision: 'allow', reason: '' }) },
      identityHeaders: [],
      requestTimeoutMs: 0,
      maxInFlight: { reads: 0, changes: 0 },
      routes: [everythingElse(app.handle)],
    }),
  );
  const server: Server = createServer((req, res) => void run(createContext(req, res, Date.now())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    source,
    registrations,
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(base + path, { headers, redirect: 'manual' }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await app.stop();
    },
  };
}
