import { expect, it } from 'vitest';
import { routeOf } from './route.ts';

const root = { api: '/', files: undefined };
const custom = { api: '/k8s/', files: '/k8s/www/' };
const kept = { api: '/api/', files: '/' };
const forward = (target: string, path = target.split('?')[0], host = '') => ({
  kind: 'forward',
  host,
  path,
  target,
});

it.each([
  ['a path', '/version', root, forward('/version')],
  ['a query', '/api?limit=1', root, forward('/api?limit=1')],
  ['an empty query', '/api?', root, forward('/api?')],
  ['an escape, which is decoded for the filter only', '/a%2Fb', root, forward('/a%2Fb', '/a/b')],
  ['a URL', 'http://host:1/version', root, forward('/version', '/version', 'host:1')],
  [
    'a path that begins with two slashes',
    '//host/version',
    root,
    { kind: 'redirect', location: '/host/version' },
  ],
  ['an empty segment', '/a//b', root, { kind: 'redirect', location: '/a/b' }],
  ['dot segments', '/a/./b/../c/', root, { kind: 'redirect', location: '/a/c/' }],
  ['dot segments at the root', '/..', root, { kind: 'redirect', location: '/' }],
  ['a dot that is part of a name', '/.well-known/x', root, forward('/.well-known/x')],
  ['an encoded dot segment', '/a/%2e/b', root, { kind: 'invalid' }],
  ['encoded parents', '/a/%2E%2e/b', root, { kind: 'invalid' }],
  ['parents between encoded slashes', '/a%2F..%2Fb', root, { kind: 'invalid' }],
  ['the whole server', '*', root, { kind: 'invalid' }],
  ['a prefix', '/k8s/version?a', custom, forward('/version?a')],
  ['the root below a prefix', '/k8s/', custom, forward('/')],
  ['a prefix without its slash', '/k8s?a', custom, { kind: 'redirect', location: '/k8s/?a' }],
  [
    'files without their slash',
    '/static?a',
    { api: '/', files: '/static/' },
    { kind: 'redirect', location: '/static/?a' },
  ],
  ['a prefix without its slash, below that of files', '/api', kept, { kind: 'redirect', location: '/api/' }],
  ['the longest prefix', '/k8s/www/a', custom, { kind: 'file', path: '/a' }],
  ['a path beside the prefixes', '/version', custom, { kind: 'notFound' }],
  ['a prefix that stays', '/api/v1', kept, forward('/api/v1')],
  ['files at the root', '/api.html', kept, { kind: 'file', path: '/api.html' }],
])('%s', (_, target, prefixes, route) => {
  expect(routeOf(target, prefixes)).toEqual(route);
});
