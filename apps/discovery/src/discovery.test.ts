import { systemClock } from '@annex/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { response, group, registration, startDiscovery } from './discovery.fixture.ts';
import type { RemoteResponse, RemoteRequest } from './sources.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const beta = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

let remote: (request: RemoteRequest) => RemoteResponse;
let running: Awaited<ReturnType<typeof startDiscovery>>;
beforeEach(async () => {
  remote = () => response(404, '');
  running = await startDiscovery((request) => remote(request));
});
afterEach(() => running.stop());

const json = async (path: string, headers?: Record<string, string>) =>
  (await (await running.get(path, headers)).json()) as Record<string, never>;

interface Listed {
  groups: { name: string; versions: { version: string }[] }[];
}

describe('/apis', () => {
  it('G01 APIS-007 APIS-008 orders groups and versions by their priorities (recording apiservice-priorities)', async () => {
    running.registrations.set(
      registration('v1.prio-a 19000/10 s'),
      registration('v1.prio-b 19500/10 s'),
      registration('v1.prio-c 500/10 s'),
      registration('v1.prio-d 19000/10 s'),
      registration('v1.prio-e 100/10 s'),
      registration('v1beta1.prio-e 19800/10 s'),
      registration('v2.prio-e 100/10 s'),
      registration('v2alpha1.prio-e 100/10 s'),
      registration('v1alpha1.prio-e 100/90 s'),
      registration('foo1.prio-e 100/10 s'),
      registration('v1.authorization.k8s.io 17600/15'),
      registration('v1. 18000/1'),
    );
    const { groups } = (await json('/apis')) as unknown as Listed;
    expect(groups.map(({ name }) => name)).toEqual([
      'apiregistration.k8s.io',
      'prio-e',
      'prio-b',
      'prio-a',
      'prio-d',
      'authorization.k8s.io',
      'prio-c',
    ]);
    expect(groups[1]?.versions.map(({ version }) => version)).toEqual([
      'v1alpha1',
      'v2',
      'v1',
      'v1beta1',
      'v2alpha1',
      'foo1',
    ]);
  });

  it.each([
    ['the aggregated form first', `${aggregated},${beta},application/json`, 'APIGroupDiscoveryList'],
    ['only a form that was removed, and JSON', `${beta},application/json`, 'APIGroupList'],
    ['JSON before the aggregated form', `application/json,${aggregated}`, 'APIGroupList'],
    ['the aggregated form with more weight', `application/json;q=0.5,${aggregated}`, 'APIGroupDiscoveryList'],
    ['anything', '*/*', 'APIGroupList'],
  ])('is sent to clients that accept %s', async (_, accept, kind) => {
    expect((await json('/apis', { accept })).kind).toBe(kind);
  });

  it('has no aggregated form with a slash at the end', async () => {
    const accept = `${aggregated},application/json`;
    expect((await json('/apis/', { accept })).kind).toBe('APIGroupList');
    expect((await json('/api/', { accept })).kind).toBe('APIGroupDiscoveryList');
  });

  it.each([beta, 'application/xml'])('is 406 for clients that accept only %s', async (accept) => {
    const got = await running.get('/apis', { accept });
    expect(got.status).toBe(406);
    expect(((await got.json()) as { message: string }).message).toBe(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });
});

describe('/apis/<group>', () => {
  it('lists APIServices, with or without a slash, for POST too', async () => {
    running.registrations.set(registration('v1.g.io 1000/15 s'), registration('v2.g.io 1000/20 s', false));
    const expected = {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'g.io',
      versions: [
        { groupVersion: 'g.io/v2', version: 'v2' },
        { groupVersion: 'g.io/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'g.io/v2', version: 'v2' },
    };
    expect(await json('/apis/g.io')).toEqual(expected);
    expect(await json('/apis/g.io/')).toEqual(expected);
  });

  it('lists the groups of Annex if there are no APIServices', async () => {
    running.source.list = [group('local.io', 'v1')];
    expect((await json('/apis/local.io')).name).toBe('local.io');
  });

  it('is text 404 for an unknown group', async () => {
    const got = await running.get('/apis/none.io');
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ]);
  });

  it('is text 404 with more slashes than one at the end, except for built-in groups', async () => {
    running.source.list = [group('apps', 'v1'), group('g.example.com', 'v1')];
    const paths = ['/apis/apps/', '/apis/apps//', '/apis/g.example.com/', '/apis/g.example.com//'];
    const statuses = await Promise.all(paths.map(async (path) => (await running.get(path)).status));
    expect(statuses).toEqual([200, 200, 200, 404]);
  });
});

describe('/api', () => {
  it('lists the versions of the core group', async () => {
    running.source.list = [group('', 'v1')];
    expect(await json('/api/')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
    });
  });

  it('is indented for curl', async () => {
    const got = await running.get('/api', { 'user-agent': 'curl/8' });
    expect(await got.text()).toMatch(/^\{\n {2}"kind": "APIVersions",/);
  });
});

interface Aggregated {
  items: {
    metadata: { name?: string };
    versions: { version: string; freshness: string; resources?: unknown[] }[];
  }[];
}

/** Sends requests until the response matches; each request goes to the server, which works in the background. */
async function until(holds: (document: Aggregated) => boolean): Promise<Aggregated> {
  for (;;) {
    const document = (await json('/apis', { accept: aggregated })) as unknown as Aggregated;
    if (holds(document)) return document;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const versionOf = (document: Aggregated, name: string) =>
  document.items.find(({ metadata }) => metadata.name === name)?.versions[0];

describe('aggregated discovery', () => {
  it('has an etag, and returns 304 to clients that send it', async () => {
    running.source.list = [group('a.io', 'v1')];
    const first = await running.get('/apis', { accept: aggregated });
    expect(first.headers.get('content-type')).toBe(aggregated);
    expect(first.headers.get('cache-control')).toBe('public');
    expect(first.headers.get('vary')).toBe('Accept');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const second = await running.get('/apis', { accept: aggregated, 'if-none-match': etag });
    expect([second.status, await second.text()]).toEqual([304, '']);
    running.source.list = [group('a.io', 'v1', 'v2')];
    running.source.changed();
    expect((await running.get('/apis', { accept: aggregated, 'if-none-match': etag })).status).toBe(200);
  });

  it('keeps the core group for /api', async () => {
    running.source.list = [group('', 'v1'), group('a.io', 'v1')];
    const apis = (await json('/apis', { accept: aggregated })) as unknown as Aggregated;
    expect(apis.items.map(({ metadata }) => metadata)).toEqual([{ name: 'a.io' }]);
    const api = (await json('/api', { accept: aggregated })) as unknown as Aggregated;
    expect(api.items.map(({ metadata }) => metadata)).toEqual([{}]);
  });

  it('uses the aggregated document of an extension server', async () => {
    remote = ({ path, user }) => {
      expect(user.name).toMatch(/^system:(kube-)?aggregator$/);
      return path === '/apis'
        ? response(200, { items: [group('ext.io', 'v1')] }, { 'content-type': aggregated, etag: '"1"' })
        : response(404, '');
    };
    running.registrations.set(registration('v1.ext.io 1000/15 svc'));
    const document = await until((found) => versionOf(found, 'ext.io')?.freshness === 'Current');
    expect(versionOf(document, 'ext.io')?.resources).toEqual(group('ext.io', 'v1').versions[0]?.resources);
  });

  it('converts the plain documents of an extension server without aggregated discovery', async () => {
    remote = ({ path }) =>
      path === '/apis/old.io/v1'
        ? response(200, {
            kind: 'APIResourceList',
            resources: [
              {
                name: 'echoes',
                singularName: 'echo',
                namespaced: true,
                kind: 'Echo',
                verbs: ['get'],
                shortNames: ['e'],
              },
              { name: 'echoes/status', singularName: '', namespaced: true, kind: 'Echo', verbs: ['update'] },
            ],
          })
        : response(404, '');
    running.registrations.set(registration('v1.old.io 1000/15 svc'));
    const document = await until((found) => versionOf(found, 'old.io')?.freshness === 'Current');
    expect(versionOf(document, 'old.io')?.resources).toEqual([
      {
        resource: 'echoes',
        responseKind: { group: '', version: '', kind: 'Echo' },
        scope: 'Namespaced',
        singularResource: 'echo',
        verbs: ['get'],
        shortNames: ['e'],
        subresources: [
          {
            subresource: 'status',
            responseKind: { group: '', version: '', kind: 'Echo' },
            verbs: ['update'],
          },
        ],
      },
    ]);
  });

  it('shows a failing extension server as stale, and as current when it responds again', async () => {
    let broken = true;
    remote = ({ path }) => {
      if (broken) throw new Error('down');
      return path === '/apis'
        ? response(200, { items: [group('flaky.io', 'v1')] }, { 'content-type': aggregated })
        : response(404, '');
    };
    running.registrations.set(registration('v1.flaky.io 1000/15 svc'));
    const stale = await until((found) => versionOf(found, 'flaky.io') !== undefined);
    expect(versionOf(stale, 'flaky.io')).toEqual({ version: 'v1', freshness: 'Stale' });
    broken = false;
    await until((found) => versionOf(found, 'flaky.io')?.freshness === 'Current');
  });

  it('sends no requests to an unavailable extension server', async () => {
    let requested = 0;
    remote = () => (requested++, response(404, ''));
    running.registrations.set(registration('v1.off.io 1000/15 svc', false));
    await until((found) => versionOf(found, 'off.io')?.freshness === 'Stale');
    expect(requested).toBe(0);
  });
});

describe('/openapi/v3', () => {
  const document = (kind: string) => ({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: {},
    components: { schemas: { [`io.a.${kind}`]: { type: 'object' } } },
  });
  const urlOf = async (path: string): Promise<string> => {
    const index = (await (await running.get('/openapi/v3')).json()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    return index.paths[path]?.serverRelativeURL ?? '';
  };

  it('OAS-001 lists documents with a hash that changes with them, as text', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A'), 'apis/b.io/v1': document('B') };
    expect((await running.get('/openapi/v3')).headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const before = await urlOf('apis/a.io/v1');
    expect(before).toMatch(/^\/openapi\/v3\/apis\/a\.io\/v1\?hash=[0-9A-F]{128}$/);
    const other = await urlOf('apis/b.io/v1');
    running.source.documents = { ...running.source.documents, 'apis/a.io/v1': document('A2') };
    expect(await urlOf('apis/a.io/v1')).not.toBe(before);
    expect(await urlOf('apis/b.io/v1')).toBe(other);
  });

  it('is not 304 in the second of a change, and 304 in a second without one', async () => {
    let now = Date.UTC(2026, 0, 1);
    const other = await startDiscovery(() => response(404, ''), { ...systemClock, now: () => now });
    const modifiedSince = (date: string) => other.get('/openapi/v3', { 'if-modified-since': date });
    const first = (await other.get('/openapi/v3')).headers.get('last-modified') ?? '';
    other.source.documents = { 'apis/a.io/v1': document('A') };
    now += 900;
    const changed = await modifiedSince(first);
    expect([changed.status, await changed.text()]).toEqual([200, expect.stringContaining('"apis/a.io/v1"')]);
    expect((await modifiedSince(first)).status).toBe(200);
    now += 100;
    const second = (await modifiedSince(first)).headers.get('last-modified') ?? '';
    now += 900;
    expect((await modifiedSince(second)).status).toBe(304);
    await other.stop();
  });

  it('has documents of Annex itself, and of built-in groups', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A'), 'apis/apps/v1': document('B') };
    const { paths } = (await (await running.get('/openapi/v3')).json()) as { paths: object };
    expect(Object.keys(paths)).toEqual([
      '.well-known/openid-configuration',
      'api',
      'apis',
      'apis/a.io/v1',
      'apis/apps',
      'apis/apps/v1',
      'openid/v1/jwks',
      'version',
    ]);
    expect(await (await running.get('/openapi/v3/apis/apps')).json()).toMatchObject({
      paths: { '/apis/apps/': { get: { operationId: 'getAppsAPIGroup', tags: ['apps'] } } },
    });
    expect((await running.get('/openapi/v3/apis/a.io')).status).toBe(404);
  });

  it('encodes documents in protobuf for clients that accept it', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A') };
    const [requested, provided] = ['v3@v1.0', 'v3.v1.0'].map(
      (version) => `application/com.github.proto-openapi.spec.${version}+protobuf`,
    );
    const response = await running.get('/openapi/v3/apis/a.io/v1', { accept: requested ?? '' });
    expect(response.headers.get('content-type')).toBe(provided);
    expect(Buffer.from(await response.arrayBuffer()).includes('io.a.A')).toBe(true);
    expect((await running.get('/openapi/v3/apis/a.io/v1', { accept: 'text/html' })).status).toBe(406);
    expect((await running.get('/openapi/v3/apis/none/v1', { accept: 'text/html' })).status).toBe(404);
  });

  it('sends nothing to clients that accept no media type', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A') };
    const response = await running.get('/openapi/v3/apis/a.io/v1', { accept: 'x' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('sends no time with the ETag of a document that the client has', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A') };
    const etag = (await running.get('/openapi/v3/apis/a.io/v1')).headers.get('etag') ?? '';
    const response = await running.get('/openapi/v3/apis/a.io/v1', { 'if-none-match': etag });
    expect([response.status, response.headers.get('last-modified')]).toEqual([304, null]);
  });

  it('marks a document with its hash as cacheable, and redirects requests with other hashes', async () => {
    running.source.documents = { 'apis/a.io/v1': document('A') };
    const url = await urlOf('apis/a.io/v1');
    const kept = await running.get(url);
    expect(kept.headers.get('cache-control')).toBe('public, immutable');
    expect(await kept.json()).toEqual(document('A'));
    const plain = await running.get('/openapi/v3/apis/a.io/v1');
    expect([plain.headers.get('cache-control'), plain.headers.get('content-type')]).toEqual([
      'no-cache, private',
      'application/json',
    ]);
    const moved = await running.get('/openapi/v3/apis/a.io/v1?hash=old');
    expect([moved.status, moved.headers.get('location')]).toEqual([301, url]);
    expect((await running.get('/openapi/v3/apis/a.io/v1', { accept: 'text/html' })).status).toBe(406);
    expect((await running.get('/openapi/v3/apis/none/v1')).status).toBe(404);
  });
});

describe('the discovery of an extension server', () => {
  const odd = (versions: unknown) => ({ items: [{ metadata: { name: 'odd.io' }, versions }] });

  it.each<[string, unknown, freshness: string]>([
    ['no list of groups', { items: 5 }, 'Stale'],
    ['groups without versions', odd(undefined), 'Current'],
    ['resources that are a string', odd([{ version: 'v1', resources: 'x' }]), 'Stale'],
    ['a string instead of a resource', odd([{ version: 'v1', resources: ['x'] }]), 'Stale'],
    ['an array', [], 'Stale'],
    ['no JSON', '<html>', 'Stale'],
  ])('does not affect other versions if it is %s', async (_what, body, freshness) => {
    remote = ({ path }) =>
      path === '/apis' ? response(200, body, { 'content-type': aggregated }) : response(404, '');
    running.source.list = [group('fine.io', 'v1')];
    running.source.changed();
    running.registrations.set(registration('v1.odd.io 1000/15 svc'));
    const found = await until((items) => versionOf(items, 'odd.io')?.freshness === freshness);
    expect(versionOf(found, 'fine.io')?.freshness).toBe('Current');
    expect(versionOf(found, 'odd.io')).not.toHaveProperty('resources');
  });

  it('is no longer shown as stale when the APIService is deleted', async () => {
    remote = () => response(200, { items: [group('ext.io', 'v1')] }, { 'content-type': aggregated });
    running.registrations.set(registration('v1.ext.io 1000/15 svc'));
    await until((found) => versionOf(found, 'ext.io')?.freshness === 'Current');
    running.registrations.set(registration('v1.ext.io 1000/15 svc', false));
    const found = await until((items) => versionOf(items, 'ext.io')?.freshness === 'Stale');
    expect(versionOf(found, 'ext.io')).toEqual({ version: 'v1', freshness: 'Stale' });
  });
});
