import { expect, test } from 'vitest';
import { callTimeoutMs, checkRequest } from './request-head.ts';

const head = { ':method': 'POST', ':path': '/ProxyService/Proxy', 'content-type': 'application/grpc' };

test.each([
  ['no subtype', {}],
  ['a subtype', { 'content-type': 'application/grpc+proto' }],
  ['a parameter', { 'content-type': 'Application/GRPC; charset=utf-8' }],
  ['a timeout', { 'grpc-timeout': '500m' }],
  ['no compression', { 'grpc-encoding': 'identity' }],
])('a request with %s is accepted', (_sentence, headers) => {
  expect(() => checkRequest({ ...head, ...headers }, '/ProxyService/Proxy')).not.toThrow();
});

// Statuses, codes and texts of grpc-go 1.81.
test.each([
  [{ 'content-type': 'text/plain' }, 415, 3, 'invalid gRPC request content-type "text/plain"'],
  [{ 'content-type': 'application/grpcx' }, 415, 3, 'invalid gRPC request content-type "application/grpcx"'],
  [{ 'content-type': undefined }, 415, 3, 'invalid gRPC request content-type ""'],
  [{ ':method': 'GET' }, 405, 13, 'Received a HEADERS frame with :method "GET" which should be POST'],
  [{ ':path': '/ProxyService/Nope' }, 200, 12, 'unknown method Nope for service ProxyService'],
  [{ ':path': '/grpc.health.v1.Health/Check' }, 200, 12, 'unknown service grpc.health.v1.Health'],
  [{ ':path': '/nope' }, 200, 12, 'malformed method name: "/nope"'],
  [{ 'grpc-encoding': 'gzip' }, 200, 12, 'grpc: Decompressor is not installed for grpc-encoding "gzip"'],
  [{ 'grpc-timeout': 'x' }, 400, 13, 'malformed grpc-timeout: transport: timeout string is too short: "x"'],
])('%o is refused with %d, code %d: %s', (headers, httpStatus, code, message) => {
  expect(() => checkRequest({ ...head, ...headers }, '/ProxyService/Proxy')).toThrow(
    expect.objectContaining({ httpStatus, code, message }),
  );
});

test.each([
  ['500m', 500],
  ['2S', 2_000],
  ['1H', 3_600_000],
  ['5000000n', 5],
])('the timeout %s is %d ms', (text, ms) => {
  expect(callTimeoutMs(text)).toBeCloseTo(ms);
});

test.each([
  ['123456789S', 'too long'],
  ['5x', 'unit is not recognized'],
  ['-5S', 'strconv.ParseUint: parsing "-5": invalid syntax'],
])('the timeout %s is refused: %s', (text, message) => {
  expect(() => callTimeoutMs(text)).toThrow(message);
});
