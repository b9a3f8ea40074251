import { describe, expect, it } from 'vitest';
import type { FieldLines } from '../exchange/field-lines.ts';
import { maxQuotedChars } from '../exchange/limits.ts';
import { faultOf, headLength, parseHead } from './response-head.ts';

const linesOf = (headers: FieldLines): string[] => {
  const lines: string[] = [];
  headers.forEach((_, value, name) => lines.push(name, value));
  return lines;
};

const broken = 'net/http: HTTP/1.x transport connection broken: ';

describe('the head of a response', () => {
  it.each<[string, string, string[]]>([
    [
      'has names as sent, and values without the space around them',
      'A: 1\r\nb-C:\t2 \r\n',
      ['A', '1', 'b-C', '2'],
    ],
    ['ends its lines with a line feed alone, too', 'A: 1\nB: 2\n', ['A', '1', 'B', '2']],
    [
      'continues a line that begins with a space',
      'A: 1\r\n  and 2\r\n\tand 3\r\nB: 4\r\n',
      ['A', '1 and 2 and 3', 'B', '4'],
    ],
    ['has empty values', 'A:\r\nB: \r\n', ['A', '', 'B', '']],
    ['keeps bytes beyond ASCII', 'A: caf\xe9\r\n', ['A', 'caf\xe9']],
    ['keeps a byte of UTF-8 that would be a space alone', 'A: voil\xc3\xa0\r\n', ['A', 'voil\xc3\xa0']],
    [
      'drops a name with a space, which must not be confused with the name without',
      'Content-Length : 5\r\nA: 1\r\n',
      ['A', '1'],
    ],
    [
      'has ordinary names of unusual use',
      '__proto__: 1\r\nconstructor: 2\r\n',
      ['__proto__', '1', 'constructor', '2'],
    ],
  ])('%s', (_, fields, lines) => {
    const head = parseHead(`HTTP/1.1 200 OK\r\n${fields}\r\n`);
    expect(head).toMatchObject({ statusCode: 200, statusMessage: 'OK', isHttp11: true });
    expect(linesOf(head.headers)).toEqual(lines);
  });

  it('joins values of one name', () => {
    expect(parseHead('HTTP/1.1 200 OK\r\nA: 1\r\na: 2\r\n\r\n').headers.get('a')).toBe('1, 2');
  });

  it.each([
    ['HTTP/1.1 200', 200, '', true],
    ['HTTP/1.1  299 Odd One', 299, 'Odd One', true],
    ['HTTP/1.0 404 Not Found', 404, 'Not Found', false],
    ['HTTP/2.0 200 OK', 200, 'OK', true],
    ['HTTP/1.1 099 OK', 99, 'OK', true],
    ['HTTP/1.1 +20 OK', 20, 'OK', true],
    ['HTTP/1.1 -00 OK', 0, 'OK', true],
  ])('may begin with %s', (line, statusCode, statusMessage, isHttp11) => {
    expect(parseHead(`${line}\r\n\r\n`)).toMatchObject({ statusCode, statusMessage, isHttp11 });
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.9\r\n', 'malformed HTTP response "SSH-2.0-OpenSSH_9.9"'],
    ['HTTP/1.1\r\n', 'malformed HTTP response "HTTP/1.1"'],
    ['HTTP/1.1 20 OK\r\n', 'malformed HTTP status code "20"'],
    ['HTTP/1.1 2x0 OK\r\n', 'malformed HTTP status code "2x0"'],
    ['HTTP/1.1 -20 OK\r\n', 'malformed HTTP status code "-20"'],
    ['HTTP/1 200 OK\r\n', 'malformed HTTP version "HTTP/1"'],
    ['220 smtp.example.com ESMTP\r\n', 'malformed HTTP status code "smtp.example.com"'],
    ['HTTP/1.1 200 OK\r\n A: 1\r\n', 'malformed MIME header initial line: " A: 1"'],
    ['HTTP/1.1 200 OK\r\nA\r\n', 'malformed MIME header: missing colon: "A"'],
    ['HTTP/1.1 200 OK\r\nA\r\n : 1\r\n', 'malformed MIME header: missing colon: "A"'],
    ['HTTP/1.1 200 OK\r\n: 1\r\n', 'malformed MIME header line: ": 1"'],
    ['HTTP/1.1 200 OK\r\nA: b\0c\r\n', 'malformed MIME header line: "A: b\\x00c"'],
    ['HTTP/1.1 200 OK\r\nA: b\r\r\n', 'malformed MIME header line: "A: b\\r"'],
    ['HTTP/1.1 200 OK\r\nA(: b\r\n', 'malformed MIME header line: "A(: b"'],
  ])('is none: %j', (text, why) => {
    expect(() => parseHead(`${text}\r\n`)).toThrow(expect.objectContaining({ message: broken + why }));
  });

  it.each([
    ['H', 'malformed HTTP response "H"'],
    ['HTTP/1.1 20', 'malformed HTTP status code "20"'],
    ['HTTP/1.1 200 OK', undefined],
    ['HTTP/1.1 200 OK\r\nContent-Le', 'malformed MIME header: missing colon: "Content-Le"'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5', undefined],
  ])('that ends with %j ends in the midst of %s', (text, why) => {
    expect(faultOf(text)?.message).toBe(why && broken + why);
  });

  it.each([
    ['a\r\n\r\nb', 5],
    ['a\n\nb', 3],
    ['a\n\r\nb', 4],
    ['a\r\n \r\n', undefined],
    ['a\r\n\r', undefined],
  ])('of %j ends at %s', (text, end) => expect(headLength(text)).toBe(end));
});

it('an error quotes maxQuotedChars of a line', () => {
  const quotedOf = (length: number) => {
    try {
      parseHead(`${'x'.repeat(length)}\r\n\r\n`);
      return '';
    } catch (error) {
      return /"(x*)"$/.exec((error as Error).message)?.[1];
    }
  };
  expect(quotedOf(maxQuotedChars)).toHaveLength(4096);
  expect(quotedOf(maxQuotedChars + 1)).toHaveLength(4096);
});
