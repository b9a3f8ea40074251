import { describe, expect, it } from 'vitest';
import { parseHead } from './response-head.ts';
import { type Framing, framingOf, keepsConnection } from './framing.ts';

const framed = (status: string, fields: string, method = 'GET') => {
  const head = parseHead(`HTTP/${status}\r\n${fields}\r\n`);
  return { framing: framingOf(head, method), headers: head.headers };
};

describe('the body of a response', () => {
  it.each<[string, string, string, string, Framing]>([
    [
      'has the length of its header',
      '1.1 200 OK',
      'Content-Length: 5\r\n',
      'GET',
      { by: 'length', length: 5 },
    ],
    [
      'may repeat its length',
      '1.1 200 OK',
      'Content-Length: 5\r\nContent-Length: 5\r\n',
      'GET',
      { by: 'length', length: 5 },
    ],
    ['comes in chunks', '1.1 200 OK', 'Transfer-Encoding: Chunked\r\n', 'GET', { by: 'chunks' }],
    [
      'comes in chunks rather than by length',
      '1.1 200 OK',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'GET',
      { by: 'chunks' },
    ],
    ['ends with the connection', '1.1 200 OK', '', 'GET', { by: 'close' }],
    ['has no chunks in HTTP/1.0', '1.0 200 OK', 'Transfer-Encoding: chunked\r\n', 'GET', { by: 'close' }],
    ['comes in chunks in HTTP/0.0', '0.0 200 OK', 'Transfer-Encoding: chunked\r\n', 'GET', { by: 'chunks' }],
    ['has no chunks in HTTP/0.9', '0.9 200 OK', 'Transfer-Encoding: chunked\r\n', 'GET', { by: 'close' }],
    ['is not sent for HEAD', '1.1 200 OK', 'Content-Length: 5\r\n', 'HEAD', { by: 'length', length: 0 }],
    [
      'is not sent with 204',
      '1.1 204 No Content',
      'Transfer-Encoding: chunked\r\n',
      'GET',
      { by: 'length', length: 0 },
    ],
    [
      'is not sent with 304',
      '1.1 304 Not Modified',
      'Content-Length: 5\r\n',
      'GET',
      { by: 'length', length: 0 },
    ],
  ])('%s', (_, status, fields, method, framing) => {
    expect(framed(status, fields, method).framing).toEqual(framing);
  });

  it('is announced in one way only to the client', () => {
    const chunked = framed('1.1 200 OK', 'Content-Length: 5\r\nA: 1\r\nTransfer-Encoding: chunked\r\n');
    expect(chunked.headers.toObject()).toEqual({ a: '1' });
    const twice = framed('1.1 200 OK', 'Content-Length: 5\r\nA: 1\r\nContent-Length: 5\r\n');
    expect(twice.headers.toObject()).toEqual({ a: '1', 'content-length': '5' });
  });

  it.each([
    [
      'Content-Length: 1\r\nContent-Length: 2\r\n',
      'http: message cannot contain multiple Content-Length headers; got ["1" "2"]',
    ],
    ['Content-Length: 1, 1\r\n', 'bad Content-Length "1, 1"'],
    ['Content-Length: -1\r\n', 'bad Content-Length "-1"'],
    ['Content-Length: +1\r\n', 'bad Content-Length "+1"'],
    ['Content-Length: 0x1\r\n', 'bad Content-Length "0x1"'],
    ['Content-Length: 99999999999999999999\r\n', 'bad Content-Length "99999999999999999999"'],
    ['Content-Length: 9223372036854775808\r\n', 'bad Content-Length "9223372036854775808"'],
    ['Content-Length: \xd9\xa1\r\n', 'bad Content-Length "١"'],
    ['Content-Length:\r\n', 'invalid empty Content-Length ""'],
    ['Transfer-Encoding: chunked\r\nTrailer: x-sum, content-length\r\n', 'bad trailer key "Content-Length"'],
    ['Transfer-Encoding: gzip, chunked\r\n', 'unsupported transfer encoding: "gzip, chunked"'],
    [
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
      'too many transfer encodings: ["chunked" "chunked"]',
    ],
  ])('is ambiguous: %j', (fields, why) => {
    expect(() => framed('1.1 200 OK', fields)).toThrow(`transport connection broken: ${why}`);
  });
});

describe('a connection', () => {
  it.each([
    ['1.1', '', true],
    ['1.1', 'Connection: x, Close\r\n', false],
    ['1.1', 'Connection: disclose\r\n', true],
    ['1.0', '', false],
    ['1.0', 'Connection: Keep-Alive\r\n', true],
    ['0.0', '', false],
  ])('of HTTP/%s after %j is kept: %s', (version, fields, kept) => {
    expect(keepsConnection(parseHead(`HTTP/${version} 200 OK\r\n${fields}\r\n`))).toBe(kept);
  });
});
