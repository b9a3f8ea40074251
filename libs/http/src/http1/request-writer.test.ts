import { describe, expect, it } from 'vitest';
import { encodeRequestHead } from './request-writer.ts';

const encode = (...headers: string[]) =>
  encodeRequestHead({ method: 'GET', path: '/a?b=c', headers }, 'ext:443');

describe('the head of a request', () => {
  it('begins with the host, and has one line for each value', () => {
    expect(encode('accept', '*/*', 'X-Remote-Group', 'a', 'X-Remote-Group', 'b')).toBe(
      'GET /a?b=c HTTP/1.1\r\nHost: ext:443\r\naccept: */*\r\nX-Remote-Group: a\r\nX-Remote-Group: b\r\n\r\n',
    );
  });

  it.each([
    ['X-Remote-User', 'jane\r\nX-Remote-Group: system:masters', 'field value for "X-Remote-User"'],
    ['x-name', 'a\0', 'field value for "x-name"'],
    ['x-name', 'ж', 'field value for "x-name"'],
    ['x name', 'a', 'field name "x name"'],
    ['x-name: a\r\nx', 'a', 'field name "x-name: a\\r\\nx"'],
  ])('cannot hold another: %j: %j', (name, value, what) => {
    expect(() => encode(name, value)).toThrow(new Error(`net/http: invalid header ${what}`));
  });
});
