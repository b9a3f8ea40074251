import { expect, test } from 'vitest';
import { maxAddressBytes } from '../limits.ts';
import { readPlainConnect } from './connect-request.ts';

const host = 'Host: 127.0.0.1\r\n\r\n';

test.each([
  ['a name', 'a.default.svc:443', ''],
  ['IPv6', '[::1]:443', ''],
  ['bytes for the destination', '10.0.0.1:443', '\x16\x03\x01\r\n\r\n'],
])('a request of an API server with %s needs no parser', (_, address, rest) => {
  const request = `CONNECT ${address} HTTP/1.1\r\n${host}`;
  expect(readPlainConnect(Buffer.from(request + rest))).toEqual({ address, length: request.length });
});

test.each([
  ['an incomplete head', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n'],
  ['another method', `GET / HTTP/1.1\r\n${host}`],
  ['another version', `CONNECT a:1 HTTP/1.0\r\n${host}`],
  ['two hosts', `CONNECT a:1 HTTP/1.1\r\nHost: a\r\n${host}`],
  ['a host with a path', 'CONNECT a:1 HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['another header', `CONNECT a:1 HTTP/1.1\r\nContent-Length: 5\r\n${host}`],
  ['bare line feeds', 'CONNECT a:1 HTTP/1.1\nHost: a\n\n'],
  ['a port that is a name', `CONNECT a:https HTTP/1.1\r\n${host}`],
  ['a space in the address', `CONNECT a b:1 HTTP/1.1\r\n${host}`],
  ['a long address', `CONNECT ${'a'.repeat(maxAddressBytes)}:1 HTTP/1.1\r\n${host}`],
])('%s is left to the parser', (_, request) => {
  expect(readPlainConnect(Buffer.from(request))).toBeUndefined();
});
