import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { hostProblem } from './host-header.ts';

const malformed = '400 Bad Request: malformed Host header';

test.each<[string, string, string, string[], string | undefined]>([
  ['a name and a port', 'GET', '1.1', ['Host', 'localhost:8001'], undefined],
  ['an address of IPv6', 'GET', '1.1', ['host', '[::1]:80'], undefined],
  ['nothing', 'GET', '1.1', ['Host', ''], undefined],
  ['two hosts', 'GET', '1.1', ['Host', 'a', 'HOST', 'a'], '400 Bad Request'],
  ['a user', 'GET', '1.1', ['Host', 'user@a'], malformed],
  ['a path', 'CONNECT', '1.1', ['Host', 'a/b'], malformed],
  ['a space', 'GET', '1.0', ['Host', 'a b'], malformed],
  ['bytes of UTF-8', 'GET', '1.1', ['Host', 'Ã©'], malformed],
  ['no host', 'GET', '1.1', ['X', 'Host'], '400 Bad Request: missing required Host header'],
  ['no host in HTTP/1.0', 'GET', '1.0', [], undefined],
  ['no host in a CONNECT request', 'CONNECT', '1.1', [], undefined],
])('a request with %s', (_, method, httpVersion, rawHeaders, expected) => {
  expect(hostProblem({ method, httpVersion, rawHeaders } as IncomingMessage)).toBe(expected);
});
