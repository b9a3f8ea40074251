import { describe, expect, it } from 'vitest';
import { isRecognizedFormat, stringFormat } from './formats.ts';

const table: Record<string, { valid: string[]; invalid: string[] }> = {
  bsonobjectid: { valid: ['507f1f77bcf86cd799439011'], invalid: ['507f1f77bcf86cd79943901', ''] },
  uri: {
    valid: ['https://example.com/x?y=1', '/rel', 'mailto:x', 'http://[::1]:80/', 'http://u:p@h/a b', '*'],
    invalid: ['not a uri', '', 'http://[:1]/', 'http://a b/', 'http://h:x/', '/%zz', ':x', 'a\u0000'],
  },
  email: {
    valid: ['a@example.com', 'Name <a@b>', '"a b"@c.d', 'a@[1.2.3.4]', 'é@b.c', 'a@b (comment)', ' a@b '],
    invalid: ['not-an-email', 'a..b@c', 'a@b.', '@b', 'a@[x]', 'x, y <a@b>', '""@b'],
  },
  hostname: {
    valid: ['a', 'a-b.co', 'é.com', 'x.y.zz'],
    invalid: ['-a.com', 'a_b.com', '', `${'a'.repeat(64)}.com`],
  },
  ipv4: { valid: ['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4'], invalid: ['10.0.0.256', '::1', '1.2.3'] },
  ipv6: {
    valid: ['fe80::1', '::', '1:2:3:4:5:6:1.2.3.4'],
    invalid: ['10.0.0.1', '1::2::3', '12345::', '::1%eth0', '1:2:3:4:5:6:7::8'],
  },
  cidr: {
    valid: ['10.0.0.0/8', 'fd00::/8', '10.0.0.1/08'],
    invalid: ['10.0.0.0', '10.0.0.0/33', 'x/8', '::/129'],
  },
  mac: {
    valid: ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab'],
    invalid: ['01:23:45', '01:23-45:67:89:ab', ''],
  },
  uuid: {
    valid: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    invalid: ['123'],
  },
  uuid3: {
    valid: ['123e4567-e89b-32d3-a456-426614174000'],
    invalid: ['123e4567-e89b-42d3-a456-426614174000'],
  },
  uuid4: {
    valid: ['123e4567-e89b-42d3-a456-426614174000'],
    invalid: ['123e4567-e89b-42d3-c456-426614174000'],
  },
  uuid5: {
    valid: ['123e4567-e89b-52d3-b456-426614174000'],
    invalid: ['123e4567-e89b-42d3-b456-426614174000'],
  },
  isbn: {
    valid: ['0321751043', '978-0321751041', '0 306 40615 2'],
    invalid: ['0321751044', '978-0321751042'],
  },
  isbn10: { valid: ['080442957X'], invalid: ['978-0321751041'] },
  isbn13: { valid: ['9780306406157'], invalid: ['0321751043'] },
  creditcard: { valid: ['4111-1111-1111-1111', '340000000000009'], invalid: ['4111-1111-1111-1112', '1'] },
  ssn: { valid: ['111-11-1111', '111 11 1111'], invalid: ['111111111', '111-11-11111'] },
  hexcolor: { valid: ['#fff', 'A0b1C2'], invalid: ['#ffff', 'ggg'] },
  rgbcolor: { valid: ['rgb(255,0,12)', 'rgb( 1 , 2 , 3 )'], invalid: ['rgb(256,0,0)', 'rgb(01,2,3)'] },
  byte: { valid: ['aGVsbG8=', 'YQ=='], invalid: ['a$b', '', 'YQ='] },
  password: { valid: ['', 'x'], invalid: [] },
  date: {
    valid: ['2024-02-29', '2000-02-29'],
    invalid: ['2023-02-29', '2024-1-1', '2100-02-29', '2024-00-01'],
  },
  duration: { valid: ['1h30m', '-1.5s', '5 days', '2wk', '0'], invalid: ['1', 'h', '1x', ''] },
  'date-time': {
    valid: ['2024-05-01T10:00:00Z', '2024-05-01t10:00:00.123+02:00'],
    invalid: ['2024-05-01 10:00', '2024-13-01T00:00:00Z', '2024-05-01T24:00:00Z', '2024-05-01T10:00:00'],
  },
  'k8s-short-name': { valid: ['a-b', '1'], invalid: ['-a', 'A', 'a'.repeat(64), ''] },
  'k8s-long-name': { valid: ['a.b', `${'a'.repeat(64)}.b`], invalid: ['a..b', 'A.b', 'a'.repeat(254)] },
};

const rows = (which: 'valid' | 'invalid') =>
  Object.entries(table).flatMap(([format, texts]) => texts[which].map((text) => [format, text] as const));

describe('string formats', () => {
  it.each(rows('valid'))('%s accepts %j', (format, text) => {
    expect(stringFormat(format)?.(text)).toBe(true);
  });

  it.each(rows('invalid'))('%s refuses %j', (format, text) => {
    expect(stringFormat(format)?.(text)).toBe(false);
  });

  it.each(['email', 'duration', 'uri', 'hostname', 'byte', 'creditcard'])(
    '%s tests long hostile strings in linear time',
    (format) => {
      for (const part of ['1', ' ', '"', '(', 'a.', '-', '1 ', '%', '@']) {
        expect(typeof stringFormat(format)?.(`${part.repeat(100_000)}\u0001`)).toBe('boolean');
      }
    },
  );
});

describe('a format is recognized', () => {
  it.each([
    ['', 'uuid', true],
    ['string', 'date-time', true],
    ['string', 'int32', false],
    ['string', 'zip-code', false],
    ['integer', 'int64', true],
    ['integer', 'double', false],
    ['number', 'float', true],
    ['boolean', 'int32', false],
    ['constructor', 'int32', false],
  ])('for %j: %s: %s', (type, format, recognized) => {
    expect(isRecognizedFormat(type, format)).toBe(recognized);
  });
});
