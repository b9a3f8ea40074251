import { expect, it } from 'vitest';
import { splitHostPort } from './host-port.ts';

it.each([
  ['a host', 'a:80', { host: 'a', port: '80' }],
  ['an address in brackets', '[::1]:80', { host: '::1', port: '80' }],
  ['an address with a zone', '[fe80::1%en0]:80', { host: 'fe80::1%en0', port: '80' }],
  ['no host', ':80', { host: '', port: '80' }],
  ['an empty port', 'a:', { host: 'a', port: '' }],
  ['a port that is a name', 'a:http', { host: 'a', port: 'http' }],
  ['no port', 'a', undefined],
  ['brackets without a port', '[::1]', undefined],
  ['an address without brackets', '::1', undefined],
  ['text between bracket and port', '[::1]a:80', undefined],
  ['two brackets', '[[::1]:80', undefined],
  ['a bracket in the port', 'a:8]0', undefined],
  ['a bracket in the host', 'a]:80', undefined],
])('%s: %s', (_sentence, text, expected) => {
  expect(splitHostPort(text)).toEqual(expected);
});
