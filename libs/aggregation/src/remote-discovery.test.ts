import { issueServingCertificate, createCA } from '@annex/auth';
import type { JsonObject } from '@annex/machinery';
import { nullLogger, systemClock } from '@annex/runtime';
import { FakeClock, holdTimeouts, startSilentServer } from '@annex/testkit';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Listener, Transport } from '@annex/http';
import type { DiscoverySource, GroupDiscovery } from '@annex/kinds';
import { createApiListener, discoveryHandler, parseRequest, sendNotServed } from '@annex/server';
import { peerDocumentTimeoutMs, RemoteDiscovery } from './remote-discovery.ts';

/** An app whose discovery the test controls. */
class Source implements DiscoverySource {
  names: string[] = [];
  documents: Record<string, JsonObject> = {};
  readonly #listeners = new Set<() => void>();

  groups(): GroupDiscovery[] {
    return this.names.map((name) => ({ metadata: { name }, versions: [{ version: 'v1', resources: [] }] }));
  }
  openapiPaths = () => Object.keys(this.documents);
  openapi = (path: string) => this.documents[path];
  openapiHash = (path: string) => (path.startsWith('apis/') ? `hash of ${path}` : undefined);
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  set(...names: string[]): void {
    this.names = names;
    for (const listener of this.#listeners) listener();
  }
}

let ca: { cert: string; key: string };
let serving: { cert: string; key: string };
beforeAll(async () => {
  ca = await createCA('ca');
  const names = { commonName: 'app', subjectAltNames: ['127.0.0.1'] };
  serving = await issueServingCertificate(ca, names, { key: ca.key });
});

let source: Source;
let remote: RemoteDiscovery;
let app: { listener: Listener; port: number; stop(): Promise<void> };

async function startApp(port = 0): Promise<typeof app> {
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port,
    certificate: serving.cert,
    key: serving.key,
    clock: systemClock,
    steps: [
      parseRequest,
      { name: 'answer', run: (request) => (discoveryHandler(request, source) ?? sendNotServed)(request) },
    ],
  });
  return { listener, port: await listener.start(), stop: () => listener.stop(100) };
}

const follow = (port: number, clock = systemClock) =>
  new RemoteDiscovery(
    {
      name: 'app',
      endpoint: { host: '127.0.0.1', port },
      transport: new Transport({
        ca: ca.cert,
        serverName: '127.0.0.1',
        insecureSkipTLSVerify: false,
        client: undefined,
      }),
    },
    { clock, log: nullLogger },
  );

const namesOf = (groups: GroupDiscovery[]) => groups.map(({ metadata }) => metadata.name);
const change = () => new Promise<void>((resolve) => remote.onChange(resolve));

beforeEach(async () => {
  source = new Source();
  source.names = ['a.io'];
  app = await startApp();
  remote = follow(app.port);
});
afterEach(async () => {
  await remote.stop();
  await app.stop();
});

describe('the discovery of an app in another process', () => {
  it('is that of the app', async () => {
    source.documents = { 'api/v1': {}, 'apis/a.io/v1': { openapi: '3.0.0' } };
    remote.start();
    expect(namesOf(await remote.groups())).toEqual(['a.io']);
    expect(await remote.openapiPaths()).toEqual(['api/v1', 'apis/a.io/v1']);
    expect(remote.openapiHash('api/v1')).toBeUndefined();
    expect(remote.openapiHash('apis/a.io/v1')).toBe('hash of apis/a.io/v1');
    expect(await remote.openapi('apis/a.io/v1')).toEqual({ openapi: '3.0.0' });
    expect(await remote.openapi('apis/none/v1')).toBeUndefined();
  });

  it('changes with the app', async () => {
    remote.start();
    await remote.responded();
    const changed = change();
    source.set('a.io', 'b.io');
    await changed;
    expect(namesOf(await remote.groups())).toEqual(['a.io', 'b.io']);
  });

  it('stays while the app is down, and is updated when it is back', async () => {
    remote.start();
    await remote.responded();
    await app.stop();
    expect(namesOf(await remote.groups())).toEqual(['a.io']);
    await expect(remote.openapi('apis/a.io/v1')).rejects.toMatchObject({ code: 503 });
    source.names = ['c.io'];
    const changed = change();
    app = await startApp(app.port);
    await changed;
    expect(namesOf(await remote.groups())).toEqual(['c.io']);
  });

  it('is unavailable before the app has responded', async () => {
    const { port } = app;
    await app.stop();
    const clock = new FakeClock();
    // The limits: silenceTimeoutMs, firstResponseTimeoutMs.
    const silent = follow(port, clock);
    const groups = Promise.resolve(silent.groups());
    groups.catch(() => undefined);
    await clock.advance(5_000);
    await expect(groups).rejects.toMatchObject({ code: 503, message: 'app has not responded yet' });
    app = await startApp();
  });
});

it('an app that does not send a document within peerDocumentTimeoutMs is a 503', async () => {
  using timeouts = holdTimeouts();
  await using silent = await startSilentServer();
  const transport = new Transport({
    ca: silent.ca,
    serverName: 'localhost',
    insecureSkipTLSVerify: false,
    client: undefined,
  });
  const peer = { name: 'app', endpoint: { host: '127.0.0.1', port: silent.port }, transport };
  const arrived = silent.requested();
  const response = new RemoteDiscovery(peer, { clock: systemClock, log: nullLogger }).openapi('apis/a.io/v1');
  const refused = expect(response).rejects.toMatchObject({ code: 503 });
  await arrived;
  expect(timeouts.expire(peerDocumentTimeoutMs)).toBe(1);
  await refused;
  transport.close();
});
