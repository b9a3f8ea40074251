import { expectLinear } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { RequestFilter } from './request-filter.ts';

const defaults = {
  acceptHosts: String.raw`^localhost$,^127\.0\.0\.1$,^\[::1\]$`,
  acceptPaths: '^.*',
  rejectPaths: '^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach',
  rejectMethods: '^$',
};
const request = { method: 'GET', path: '/api/v1/pods', host: 'localhost:8001' };

describe('the filter', () => {
  it.each([
    ['accepts this machine', {}, true],
    ['accepts this machine by its address', { host: '127.0.0.1' }, true],
    ['refuses this machine by its IPv6 address with a port, as kubectl does', { host: '[::1]:8001' }, false],
    ['accepts this machine by its IPv6 address', { host: '[::1]' }, true],
    ['refuses the name of another host', { host: 'rebound.example:8001' }, false],
    ['refuses a name that begins like this machine', { host: 'localhost.example' }, false],
    ['refuses a request without a host', { host: '' }, false],
    ['refuses exec', { path: '/api/v1/namespaces/a/pods/b/exec' }, false],
    ['refuses attach', { path: '/api/v1/namespaces/a/pods/b/attach' }, false],
    ['accepts port-forward', { path: '/api/v1/namespaces/a/pods/b/portforward' }, true],
  ])('%s', (_, change, accepted) => {
    expect(new RequestFilter(defaults).accepts({ ...request, ...change })).toBe(accepted);
  });

  it.each([
    ['nothing without an accepted path', { acceptPaths: '' }, false],
    ['a path that is accepted', { acceptPaths: '^/apis,^/api/v1/pods$' }, true],
    ['not what is rejected too', { acceptPaths: '^/api', rejectPaths: 'pods' }, false],
    ['not a rejected method', { rejectMethods: 'POST,GET' }, false],
  ])('accepts %s', (_, change, accepted) => {
    expect(new RequestFilter({ ...defaults, ...change }).accepts(request)).toBe(accepted);
  });

  it('names the option of a pattern that is invalid', () => {
    expect(() => new RequestFilter({ ...defaults, acceptPaths: '^[a' })).toThrow(
      '--accept-paths: error parsing regexp: missing closing ]: `[a`',
    );
  });

  it('takes linear time for every pattern', () => {
    const filter = new RequestFilter({ ...defaults, rejectPaths: '^(/a+)+$,(a|a)*b,(.*)(.*)(.*)x$' });
    expectLinear(
      (size) => ({ ...request, path: '/a'.repeat(size) }),
      (long) => filter.accepts(long),
    );
  });
});
