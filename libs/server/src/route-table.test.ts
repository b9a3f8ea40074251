import { createMetrics } from '@annex/runtime';
import { documentedRoutes } from '@annex/testkit';
import { parseQuery } from '@annex/machinery';
import { type RequestContext, parseRequestInfo } from '@annex/kinds';
import { describe, expect, it } from 'vitest';
import { type RouteTargets, routeTable } from './route-table.ts';

const nothing = () => undefined;

/** Every row of the table, which no process has together. */
const targets: RouteTargets = {
  traces: { traces: {} as never, authorizer: {} as never },
  about: {
    checks: [{ name: 'ping', check: nothing }],
    metrics: createMetrics(),
    version: {},
    documents: { '/openid/v1/jwks': { contentType: 'application/jwk-set+json', content: () => ({}) } },
    apiPaths: () => [],
  },
  discovery: { groups: () => [], openapiPaths: () => [], openapi: nothing, onChange: () => nothing },
  api: {
    extensionServer: (group) => (group === 'metrics.k8s.io' ? nothing : undefined),
    documents: nothing,
    builtin: new Map([
      ['', nothing],
      ['apps', nothing],
    ]),
    custom: nothing,
  },
};

/** Returns the name of the row that matches a GET. */
function rowOf(path: string, more: Partial<RouteTargets> = {}): string | undefined {
  const info = parseRequestInfo('GET', path, parseQuery(''));
  const request = { path, info } as RequestContext;
  const rows = routeTable({ ...targets, ...more });
  const compared = info.isResourceRequest ? rows.filter(({ requests }) => requests === 'all') : rows;
  return compared.find((row) => row.handlerOf(request) !== undefined)?.name;
}

it('has the documented rows, in the documented order', () => {
  expect(routeTable(targets).map(({ name, paths }) => [name, paths])).toEqual(documentedRoutes());
});

describe('the row of a request', () => {
  it.each([
    ['/annex/traces', 'traces'],
    ['/annex/traces/some-id', 'traces'],
    ['/annex/traced', 'everythingElse'],
    ['/metrics', 'metrics'],
    ['/', 'index'],
    ['/index.html', 'index'],
    ['/version', 'version'],
    ['/version/', 'version'],
    ['/versions', 'everythingElse'],
    ['/openid/v1/jwks', 'openIdDocuments'],
    ['/readyz', 'health'],
    ['/readyz/ping', 'health'],
    ['/readyz/other', 'everythingElse'],
    ['/internal/discovery', 'internalDiscovery'],
    ['/internal/openapi', 'internalDiscovery'],
    ['//api/v1/pods', 'emptySegments'],
    ['/apis//v1/things', 'emptySegments'],
    ['/apis/metrics.k8s.io/v1', 'extensionServers'],
    ['/apis/metrics.k8s.io/v1/pods', 'extensionServers'],
    ['/api', 'apiDocuments'],
    ['/api/', 'apiDocuments'],
    ['/apis', 'apiDocuments'],
    ['/apis/metrics.k8s.io', 'apiDocuments'],
    ['/openapi/v2', 'apiDocuments'],
    ['/openapi/v3/apis/apps/v1', 'apiDocuments'],
    ['/api/v1', 'builtinGroups'],
    ['/api/v1/namespaces/a/pods/b', 'builtinGroups'],
    ['/apis/apps/v1/deployments', 'builtinGroups'],
    ['/apis/example.com/v1', 'customResources'],
    ['/apis/example.com/v1/widgets', 'customResources'],
    ['/elsewhere', 'everythingElse'],
  ])('%s: %s', (path, name) => {
    expect(rowOf(path)).toBe(name);
  });

  it.each(['/metrics', '/readyz', '/api/v1/pods', '/elsewhere'])(
    'is that of a starting server until it has started: %s',
    (path) => {
      expect(rowOf(path, { isStarting: () => true })).toBe('serverStarting');
    },
  );

  it('asks clients of a starting server to repeat their request', () => {
    const request = { path: '/api/v1/pods' } as RequestContext;
    const refuse = routeTable({ ...targets, isStarting: () => true })[0]!.handlerOf(request)!;
    expect(() => refuse(request)).toThrow(expect.objectContaining({ headers: { 'Retry-After': '1' } }));
  });

  it.each([
    ['/metrics', 'metrics'],
    ['/readyz', 'health'],
    ['/api/v1/pods', 'apiStarting'],
    ['/internal/discovery', 'apiStarting'],
    ['/elsewhere', 'apiStarting'],
  ])('is that of a starting app only for the paths of the API: %s', (path, name) => {
    expect(rowOf(path, { isApiStarting: () => true })).toBe(name);
  });
});
