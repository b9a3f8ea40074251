import { parseRequestTarget } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from './request-info.ts';

const cases: [name: string, request: string, expected: Record<string, unknown>][] = [
  ['the root is not a resource', 'GET /', { isResourceRequest: false, verb: 'get', path: '/' }],
  ['a health path is not a resource', 'GET /healthz', { isResourceRequest: false, verb: 'get' }],
  ['a group is not a resource', 'GET /apis/apps', { isResourceRequest: false }],
  ['a group-version is not a resource', 'GET /apis/apps/v1', { isResourceRequest: false }],
  ['the core version is not a resource', 'GET /api/v1', { isResourceRequest: false }],
  [
    'a collection is listed',
    'GET /api/v1/pods',
    { verb: 'list', resource: 'pods', apiGroup: '', apiVersion: 'v1' },
  ],
  ['watch=1 changes a list to a watch', 'GET /api/v1/pods?watch=1', { verb: 'watch' }],
  [
    'a named object has the verb get, regardless of watch',
    'GET /api/v1/namespaces/n/pods/p?watch=1',
    { verb: 'get' },
  ],
  ['watch=false does not', 'GET /api/v1/pods?watch=false', { verb: 'list' }],
  [
    'an object has the verb get',
    'GET /apis/apps/v1/namespaces/n/deployments/d',
    { verb: 'get', namespace: 'n', resource: 'deployments', name: 'd', apiGroup: 'apps' },
  ],
  [
    'a subresource is part of the resource',
    'PUT /apis/apps/v1/namespaces/n/deployments/d/scale',
    { verb: 'update', name: 'd', subresource: 'scale' },
  ],
  [
    'a namespace itself is in its own namespace',
    'GET /api/v1/namespaces/n',
    { resource: 'namespaces', name: 'n', namespace: 'n', verb: 'get' },
  ],
  [
    'finalize belongs to the namespace',
    'PUT /api/v1/namespaces/n/finalize',
    { resource: 'namespaces', name: 'n', subresource: 'finalize' },
  ],
  [
    'a list of one name is authorized as that name',
    'GET /api/v1/pods?fieldSelector=metadata.name%3Da,status.phase%3DRunning',
    { verb: 'list', name: 'a' },
  ],
  [
    'a watch of one name is authorized as that name',
    'GET /api/v1/pods?watch=1&fieldSelector=metadata.name%3D%3Da',
    { verb: 'watch', name: 'a' },
  ],
  [
    'a name inside of another value is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name!%3Dx%5C,metadata.name%3Da',
    { verb: 'list', name: '' },
  ],
  [
    'a selector behind a second question mark is another parameter',
    'GET /api/v1/pods??fieldSelector=metadata.name%3Da',
    { verb: 'list', name: '', fieldSelector: '' },
  ],
  [
    'a selector with an invalid escape is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name%3Da,metadata.name!%3D%zz',
    { verb: 'list', name: '', fieldSelector: '' },
  ],
  [
    'a selector with a semicolon is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name%3Da,metadata.name!%3Da;b',
    { verb: 'list', name: '', fieldSelector: '' },
  ],
  [
    'a name in a query with an invalid number is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name%3Da&limit=x',
    { verb: 'list', name: '', fieldSelector: 'metadata.name=a' },
  ],
  [
    'a name with an invalid label selector is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name%3Da&labelSelector=(&watch=',
    { verb: 'watch', name: '', labelSelector: '(' },
  ],
  [
    'the deprecated proxy prefix has no subresources',
    'GET /api/v1/proxy/namespaces/n/pods/p/status',
    { verb: 'proxy', resource: 'pods', name: 'p', subresource: '' },
  ],
  [
    'a name that is not a path segment is ignored',
    'GET /api/v1/pods?fieldSelector=metadata.name%3D..',
    { verb: 'list', name: '' },
  ],
  [
    'the namespaces are a collection',
    'GET /api/v1/namespaces',
    { resource: 'namespaces', name: '', verb: 'list', namespace: '' },
  ],
  ['POST creates', 'POST /api/v1/namespaces/n/pods', { verb: 'create', name: '' }],
  ['PATCH patches', 'PATCH /api/v1/namespaces/n/pods/p', { verb: 'patch' }],
  ['DELETE of an object deletes', 'DELETE /api/v1/namespaces/n/pods/p', { verb: 'delete' }],
  [
    'DELETE of a collection deletes the collection',
    'DELETE /api/v1/namespaces/n/pods',
    { verb: 'deletecollection' },
  ],
  [
    'the deprecated watch path is a watch',
    'GET /api/v1/watch/namespaces/n/pods/p',
    { verb: 'watch', namespace: 'n', resource: 'pods', name: 'p' },
  ],
  [
    'a selection by name is authorized by name',
    'GET /api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Dp',
    { verb: 'list', name: 'p' },
  ],
  [
    'a collection is authorized with its selectors',
    'DELETE /api/v1/namespaces/n/pods?fieldSelector=a%3Db&labelSelector=c',
    { verb: 'deletecollection', fieldSelector: 'a=b', labelSelector: 'c' },
  ],
  [
    'an object has no selectors',
    'GET /api/v1/namespaces/n/pods/p?fieldSelector=a%3Db&labelSelector=c',
    { verb: 'get', fieldSelector: '', labelSelector: '' },
  ],
  [
    'the deprecated watch path is authorized without selectors',
    'GET /api/v1/watch/pods?labelSelector=c',
    { verb: 'watch', labelSelector: '' },
  ],
  [
    'an unknown method has no verb',
    'OPTIONS /api/v1/secrets',
    { isResourceRequest: true, verb: '', resource: 'secrets' },
  ],
];

describe('parseRequestInfo', () => {
  it.each(cases)('%s', (_name, request, expected) => {
    const [method = '', url = ''] = request.split(' ');
    const { path, query } = parseRequestTarget(method, url);
    expect(parseRequestInfo(method, path, query)).toMatchObject(expected);
  });
});
