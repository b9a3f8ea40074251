import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { response, registration, startDiscovery } from './discovery.fixture.ts';
import type { RemoteResponse, RemoteRequest } from './sources.ts';

type Responses = Record<string, (request: RemoteRequest) => RemoteResponse>;

let responses: Responses;
let requested: RemoteRequest[];
let running: Awaited<ReturnType<typeof startDiscovery>>;
beforeEach(async () => {
  [responses, requested] = [{}, []];
  running = await startDiscovery((request) => {
    requested.push(request);
    const path = request.path.split('?')[0] ?? '';
    return responses[path]?.(request) ?? response(404, 'not found');
  });
});
afterEach(() => running.stop());

const service = (available = true) => registration('v1.ext.io 1000/15 svc', available);

const countOf = (path: string) => requested.filter((one) => one.path === path).length;

/** Registers the server again, so that it is fetched again. */
async function askAgain(): Promise<void> {
  running.registrations.set(service(false));
  const before = countOf('/openapi/v2');
  running.registrations.set(service());
  await vi.waitFor(() => expect(countOf('/openapi/v2')).toBeGreaterThan(before));
}

const swagger = (description: string) => ({
  swagger: '2.0',
  info: { title: 'Ext' },
  paths: {
    '/apis/ext.io/v1/things': {
      get: {
        produces: ['application/json'],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/io.ext.Thing' } } },
      },
    },
    '/apis/ext.io/': {},
    '/apis/others.io/v1/things': {
      get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/io.others.Thing' } } } },
    },
  },
  definitions: { 'io.ext.Thing': { type: 'object', description }, 'io.others.Thing': {} },
});

interface V2 {
  paths: Record<string, object>;
  definitions: Record<string, { description?: string } | undefined>;
}
const v2 = async () => (await (await running.get('/openapi/v2')).json()) as V2;
const described = async () => (await v2()).definitions['io.ext.Thing']?.description;
const index = async () =>
  (
    (await (await running.get('/openapi/v3')).json()) as {
      paths: Record<string, { serverRelativeURL: string }>;
    }
  ).paths;

describe('the document of version 2 of an extension server', () => {
  it('is merged, with the paths of its version only', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('one'));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('one'));
    const { paths, definitions } = await v2();
    expect(Object.keys(paths).filter((path) => /ext|others/.test(path))).toEqual(['/apis/ext.io/v1/things']);
    expect(definitions).not.toHaveProperty(['io.others.Thing']);
    const question = requested.find(({ path }) => path === '/openapi/v2');
    expect(question?.user.name).toBe('system:aggregator');
    expect(question?.headers).toEqual({ accept: 'application/json', 'accept-encoding': 'gzip' });
  });

  it('is removed with its APIService', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('one'));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('one'));
    running.registrations.set();
    expect((await v2()).definitions).not.toHaveProperty(['io.ext.Thing']);
  });

  it('is requested with the etag of the server', async () => {
    responses['/openapi/v2'] = ({ headers }) =>
      headers?.['if-none-match'] === '"1"'
        ? response(304, '')
        : response(200, swagger('one'), { etag: '"1"' });
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('one'));
    await askAgain();
    expect(requested.findLast(({ path }) => path === '/openapi/v2')?.headers?.['if-none-match']).toBe('"1"');
    expect(await described()).toBe('one');
    responses['/openapi/v2'] = () => response(200, swagger('two'), { etag: '"2"' });
    await askAgain();
    await vi.waitFor(async () => expect(await described()).toBe('two'));
  });

  it('is identified by its bytes if the server sends no etag', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('one'));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('one'));
    const etag = async () => (await running.get('/openapi/v2')).headers.get('etag');
    const before = await etag();
    await askAgain();
    expect(await etag()).toBe(before);
    expect(requested.findLast(({ path }) => path === '/openapi/v2')?.headers).not.toHaveProperty(
      'if-none-match',
    );
  });

  it('may be compressed', async () => {
    const compressed = { headers: { 'content-encoding': 'gzip' }, status: 200 };
    responses['/openapi/v2'] = () => ({ ...compressed, body: gzipSync(JSON.stringify(swagger('small'))) });
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('small'));
  });

  it.each<[string, () => RemoteResponse]>([
    ['is stopped', () => response(404, '')],
    ['fails', () => response(500, 'oops')],
    ['does not send JSON', () => response(200, '{"paths": ')],
    ['sends a list', () => response(200, [])],
    [
      'has unsupported media types',
      () => response(200, { ...swagger('x'), definitions: { A: { type: 5 } } }),
    ],
    ['sends 304 without a condition', () => response(304, '')],
    ['sends an invalid compression', () => response(200, 'x', { 'content-encoding': 'gzip' })],
    [
      'exceeds the size limit when decompressed',
      () => ({
        status: 200,
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(Buffer.alloc(17 * 1024 * 1024)),
      }),
    ],
  ])('does not change if the server %s', async (_what, broken) => {
    responses['/openapi/v2'] = () => response(200, swagger('one'));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await described()).toBe('one'));
    responses['/openapi/v2'] = broken;
    await askAgain();
    expect(await described()).toBe('one');
  });

  it('is ordered by the priorities of groups, then of names', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('x'));
    const paths = (version: string, group: string) => ({
      ...swagger(version + group),
      paths: { [`/apis/${group}/${version}/x`]: {} },
    });
    const list = ['v1.a.io 100/1 s', 'v2.b.io 10/1 s', 'v1.b.io 500/1 s', 'v3.a.io 100/9 s'];
    await running.stop();
    running = await startDiscovery(({ path }, of) =>
      path === '/openapi/v2' ? response(200, paths(of.spec.version, of.spec.group ?? '')) : response(404, ''),
    );
    running.registrations.set(...list.map((text) => registration(text)));
    await vi.waitFor(async () => {
      const { definitions } = await v2();
      const names = ['', '_v2', '_v3', '_v4'].map((end) => definitions[`io.ext.Thing${end}`]?.description);
      expect(names).toEqual(['v1b.io', 'v2b.io', 'v1a.io', 'v3a.io']);
    });
  });
});

describe('the documents of version 3 of an extension server', () => {
  const url = '/openapi/v3/apis/ext.io/v1?hash=H1';
  const indexOf = (...entries: [string, string][]) => ({
    paths: Object.fromEntries(
      entries.map(([path, serverRelativeURL]) => [path, { serverRelativeURL, more: 1 }]),
    ),
  });

  it('are listed with the URLs of the server, in addition to those of Annex', async () => {
    running.source.documents = { 'apis/a.io/v1': { openapi: '3.0.0' } };
    responses['/openapi/v3'] = () =>
      response(200, indexOf(['apis/ext.io/v1', url], ['apis/ext.io', '/elsewhere'], ['version', '/mine']));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    const paths = await index();
    expect(paths['apis/ext.io/v1']).toEqual({ serverRelativeURL: url });
    expect(paths['apis/ext.io']).toEqual({ serverRelativeURL: '/elsewhere' });
    expect(paths.version?.serverRelativeURL).toMatch(/^\/openapi\/v3\/version\?hash=[0-9A-F]{128}$/);
    expect(paths).toHaveProperty(['apis/a.io/v1']);
  });

  it('are served by the server itself, as the user of the client', async () => {
    responses['/openapi/v3'] = () => response(200, indexOf(['apis/ext.io/v1', url]));
    responses['/openapi/v3/apis/ext.io/v1'] = () =>
      response(200, 'bytes', {
        'content-type': 'application/x',
        etag: '"H1"',
        'cache-control': 'public, immutable',
        'transfer-encoding': 'chunked',
        'access-control-allow-origin': '*',
      });
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    const headers = { accept: 'application/x', 'x-remote-user': 'admin', authorization: 'Bearer t' };
    const got = await running.get(url, headers);
    expect([got.status, await got.text()]).toEqual([200, 'bytes']);
    const names = ['content-type', 'etag', 'cache-control', 'access-control-allow-origin'];
    expect(names.map((name) => got.headers.get(name))).toEqual([
      'application/x',
      '"H1"',
      'no-cache, private, public, immutable',
      null,
    ]);
    const forwarded = requested.find(({ path }) => path === url);
    expect(forwarded?.user.name).toBe('u');
    expect(forwarded?.headers).toMatchObject({ accept: 'application/x' });
    expect(forwarded?.headers).not.toHaveProperty('x-remote-user');
    expect(forwarded?.headers).not.toHaveProperty('authorization');
  });

  it.each<[string, RemoteResponse | Error, number, string]>([
    ['a refusal', response(406, ''), 406, ''],
    ['what the client has', response(304, ''), 304, ''],
    [
      'a redirect',
      response(301, '', { location: '/x' }),
      502,
      'the backend attempted to redirect this request, which is not permitted',
    ],
    ['nothing', new Error('EOF'), 503, 'error trying to reach service: EOF\n'],
  ])('have a response if the server returns %s', async (_what, provided, status, text) => {
    responses['/openapi/v3'] = () => response(200, indexOf(['apis/ext.io/v1', url]));
    responses['/openapi/v3/apis/ext.io/v1'] = () => {
      if (provided instanceof Error) throw provided;
      return provided;
    };
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    const got = await running.get(url);
    expect([got.status, await got.text()]).toEqual([status, text]);
  });

  it('stay listed while the server is not available, and are 503', async () => {
    responses['/openapi/v3'] = () => response(200, indexOf(['apis/ext.io/v1', url]));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    running.registrations.set(service(false));
    expect(await index()).toHaveProperty(['apis/ext.io/v1']);
    const got = await running.get(url);
    expect([got.status, await got.text()]).toEqual([503, 'service unavailable\n']);
    running.registrations.set();
    expect(await index()).not.toHaveProperty(['apis/ext.io/v1']);
    expect((await running.get(url)).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['paths that are a number', { paths: 5 }],
    ['a path that is a number', { paths: { a: 5 } }],
    ['a URL that is a number', { paths: { a: { serverRelativeURL: 5 } } }],
  ])('do not change if the index has %s', async (_what, broken) => {
    responses['/openapi/v3'] = () => response(200, indexOf(['apis/ext.io/v1', url]));
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    responses['/openapi/v3'] = () => response(200, broken);
    await askAgain();
    expect((await index())['apis/ext.io/v1']).toEqual({ serverRelativeURL: url });
  });

  it('are converted from version 2 if the server has no version 3', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('old'), { etag: '"1"' });
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    const { serverRelativeURL = '' } = (await index())['apis/ext.io/v1'] ?? {};
    expect(serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/ext\.io\/v1\?hash=[0-9A-F]{128}$/);
    expect(await (await running.get(serverRelativeURL)).json()).toMatchObject({
      openapi: '3.0.0',
      info: { title: 'Ext' },
      paths: { '/apis/ext.io/v1/things': {}, '/apis/others.io/v1/things': {} },
      components: { schemas: { 'io.ext.Thing': { type: 'object', description: 'old' } } },
    });
    expect((await v2()).definitions['io.ext.Thing']).toEqual({ type: 'object', description: 'old' });
  });

  it('are served by the server as soon as it has version 3', async () => {
    responses['/openapi/v2'] = () => response(200, swagger('old'), { etag: '"1"' });
    running.registrations.set(service());
    await vi.waitFor(async () => expect(await index()).toHaveProperty(['apis/ext.io/v1']));
    responses['/openapi/v3'] = () => response(200, indexOf(['apis/ext.io/v1', url]));
    await askAgain();
    await vi.waitFor(async () =>
      expect((await index())['apis/ext.io/v1']).toEqual({ serverRelativeURL: url }),
    );
  });
});
