import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { maxObjectMembers } from '@annex/machinery';
import { maxDocumentParts } from '@annex/openapi';
import { holdTimeouts } from '@annex/testkit';
import {
  discoveryDocumentTimeoutMs,
  fetchServed,
  maxEtagLength,
  maxServedResources,
} from './extension-discovery.ts';
import { fetchOpenApi, maxOpenApiPaths, openApiTimeoutMs } from './extension-openapi.ts';
import { maxDocumentBytes, maxDocumentContainers } from './extension-request.ts';
import { maxListedItems } from './read-discovery.ts';
import type { FetchRemote, Registration, RemoteResponse } from './sources.ts';

const registration: Registration = {
  metadata: { name: 'v1.hostile.example' },
  spec: { group: 'hostile.example', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10 },
};

/** An extension server that responds to everything with one text. */
const server =
  (text: string, headers: RemoteResponse['headers'] = {}): FetchRemote =>
  () =>
    Promise.resolve({
      status: 200,
      headers,
      body: headers['content-encoding'] === 'gzip' ? gzipSync(text) : Buffer.from(text),
    });

const aggregated = { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const resource = (i: number) => ({ resource: `r${i}`, responseKind: {}, verbs: ['get'] });
const groups = (count: number, resources: object[]) =>
  JSON.stringify({
    items: Array.from({ length: count }, (_, i) => ({
      metadata: { name: i === 0 ? 'hostile.example' : `g${i}` },
      versions: [{ version: 'v1', resources }],
    })),
  });
const many = Array.from({ length: maxServedResources + 1 }, (_, i) => resource(i));

describe('a discovery document', () => {
  it('of 20,000 groups is remembered for the registered one', async () => {
    const { versions } = await fetchServed(
      server(groups(20_000, [resource(1)]), aggregated),
      registration,
      undefined,
    );
    expect([...versions.keys()]).toEqual(['hostile.example/v1']);
  });

  it('whose ETag is longer than maxEtagLength is fetched again', async () => {
    const etag = 'x'.repeat(maxEtagLength + 1);
    expect(
      await fetchServed(server(groups(1, []), { ...aggregated, etag }), registration, undefined),
    ).not.toHaveProperty('etag');
  });

  it.each<[string, FetchRemote, string]>([
    [
      'with more than maxServedResources resources',
      server(groups(1, many), aggregated),
      `hostile.example/v1 has more than ${maxServedResources} resources`,
    ],
    [
      'of the older form with more than maxServedResources resources',
      server(JSON.stringify({ resources: many.map(({ resource: name }) => ({ name, verbs: [] })) })),
      `hostile.example/v1 has more than ${maxServedResources} resources`,
    ],
    ['that is nested a million times', server('{"a":'.repeat(1e6)), 'exceeds the max depth'],
    [
      'of more than maxDocumentContainers objects',
      server(groups(maxDocumentContainers / 4, [resource(1)]), aggregated),
      `more than ${maxDocumentContainers} objects and lists`,
    ],
    [
      'with an object of too many members',
      server(
        `{${Array.from({ length: maxObjectMembers + 1 }, (_, i) => `"k${i}":1`).join(',')}}`,
        aggregated,
      ),
      `more than ${maxObjectMembers} members of one object`,
    ],
    [
      'with a list of more than maxListedItems',
      server(groups(1, [{ ...resource(1), verbs: Array(maxListedItems + 1).fill('get') }]), aggregated),
      `it has a list of more than ${maxListedItems} items`,
    ],
    [
      'that is compressed and has more than maxDocumentBytes',
      server(' '.repeat(2 * maxDocumentBytes), { 'content-encoding': 'gzip' }),
      'Cannot create a Buffer larger than',
    ],
  ])('%s is rejected', async (_what, fetch, message) => {
    await expect(fetchServed(fetch, registration, undefined)).rejects.toThrow(message);
  });
});

describe('the OpenAPI documents of an extension server', () => {
  const openApi =
    (v3: string | undefined, v2: object): FetchRemote =>
    (of, request) =>
      request.path === '/openapi/v2'
        ? server(JSON.stringify({ swagger: '2.0', info: { title: 'x', version: '1' }, ...v2 }))(of, request)
        : v3 === undefined
          ? Promise.resolve({ status: 404, headers: {}, body: Buffer.alloc(0) })
          : server(v3)(of, request);

  it('list at most maxOpenApiPaths of version 3, and the document of version 2 is still used', async () => {
    const paths = Array.from({ length: maxOpenApiPaths + 1 }, (_, i) => [
      `apis/g${i}/v1`,
      { serverRelativeURL: '/x' },
    ]);
    const served = await fetchOpenApi(
      openApi(JSON.stringify({ paths: Object.fromEntries(paths) }), { paths: {} }),
      registration,
      undefined,
    );
    expect(served.urls).toBeUndefined();
    expect(served.v2?.document.paths).toEqual({});
  });

  // The limit: maxMediaTypes.
  it('of version 2 cannot grow without bound when they are converted to version 3', async () => {
    const types = Array.from({ length: 1000 }, (_, i) => `a/${i}`);
    const responses = Object.fromEntries(
      types.map((_, i) => [200 + i, { description: '', schema: { type: 'object' } }]),
    );
    const paths = { '/apis/hostile.example/v1/x': { get: { produces: types, responses } } };
    expect(await fetchOpenApi(openApi(undefined, { paths }), registration, undefined)).toEqual({
      urls: undefined,
      v2: undefined,
    });
  });

  it('of version 2 have no part of more than maxDocumentParts', async () => {
    const properties = Object.fromEntries(Array.from({ length: maxDocumentParts }, (_, i) => [`k${i}`, {}]));
    const fetch = openApi('not JSON', { definitions: { A: { properties } } });
    await expect(fetchOpenApi(fetch, registration, undefined)).rejects.toThrow(
      `definitions "A" has more than ${maxDocumentParts} members`,
    );
  });

  it('of version 2 may have a chain of 20,000 references', async () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `D${i}`);
    const to = (i: number) => ({ $ref: `#/definitions/D${i}` });
    const served = await fetchOpenApi(
      openApi(undefined, {
        definitions: Object.fromEntries(names.map((name, i) => [name, { items: to(i + 1) }])),
        paths: {
          '/apis/hostile.example/v1/x': { get: { responses: { 200: { description: '', schema: to(0) } } } },
        },
      }),
      registration,
      undefined,
    );
    expect(Object.keys(served.v2?.document.definitions ?? {})).toHaveLength(names.length);
  });

  it('of version 2 may have cyclic references', async () => {
    const self = { $ref: '#/definitions/A' };
    const served = await fetchOpenApi(
      openApi(undefined, {
        definitions: { A: { properties: { a: self, b: { allOf: [self, self] } } } },
        paths: {
          '/apis/hostile.example/v1/x': { get: { responses: { 200: { description: '', schema: self } } } },
        },
      }),
      registration,
      undefined,
    );
    expect(Object.keys(served.v2?.document.definitions ?? {})).toEqual(['A']);
  });
});

it.each<[string, number, (fetch: FetchRemote) => Promise<unknown>]>([
  [
    'discovery document within discoveryDocumentTimeoutMs',
    discoveryDocumentTimeoutMs,
    (fetch) => fetchServed(fetch, registration, undefined),
  ],
  [
    'OpenAPI document within openApiTimeoutMs',
    openApiTimeoutMs,
    (fetch) => fetchOpenApi(fetch, registration, undefined),
  ],
])('an extension server that does not send its %s is an error', async (_what, ms, read) => {
  const timeouts = holdTimeouts();
  onTestFinished(() => timeouts[Symbol.dispose]());
  const silent: FetchRemote = (_of, { timeoutMs }) =>
    new Promise((_resolve, reject) => {
      const late = () => reject(new Error('context deadline exceeded'));
      AbortSignal.timeout(timeoutMs).addEventListener('abort', late);
    });
  const failed = read(silent).catch((error: Error) => error.message);
  expect(timeouts.expire(ms)).toBe(1);
  // An older form of the document may be requested next.
  await nextTurn();
  timeouts.expire(ms);
  expect(await failed).toContain('context deadline exceeded');
});
