import { Buffer } from 'node:buffer';

// What Go's net/url leaves as it is, beside letters and digits.
const pathUnreserved = '-_.~$&+,/:;=@';
const queryUnreserved = '-_.~';

const table = (unreserved: string): readonly string[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9]/.test(char) || unreserved.includes(char)) return char;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });

const pathTable = table(pathUnreserved);
const queryTable = table(queryUnreserved).with(0x20, '+');

const escaped = (bytes: Buffer, by: readonly string[]): string => {
  let out = '';
  for (const byte of bytes) out += by[byte];
  return out;
};

/** A decoded path as Go's `URL.EscapedPath` writes it: what was `%2F` in the request is a slash now. */
export function encodePath(path: string): string {
  return /^[-A-Za-z0-9_.~$&+,/:;=@]*$/.test(path) ? path : escaped(Buffer.from(path), pathTable);
}

/**
 * A query string as Go's `Values.Encode` writes it after parsing: sorted by key, values of one key in their order,
 * `flag` as `flag=`. Pairs that Go cannot parse are dropped, as there.
 */
export function normalizeQuery(rawQuery: string): string {
  if (rawQuery === '') return '';
  const pairs: [string, string][] = [];
  for (const part of rawQuery.split('&')) {
    const pair = part === '' || part.includes(';') ? undefined : parsePair(part);
    if (pair) pairs.push(pair);
  }
  pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  return pairs.map(([key, value]) => `${key}=${value}`).join('&');
}

function parsePair(part: string): [string, string] | undefined {
  const eq = part.indexOf('=');
  const key = unescape(eq < 0 ? part : part.slice(0, eq));
  const value = unescape(eq < 0 ? '' : part.slice(eq + 1));
  return key && value && [escaped(key, queryTable), escaped(value, queryTable)];
}

// Bytes, not text: an escape need not be UTF-8 to be passed on.
function unescape(text: string): Buffer | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const bytes = Buffer.from(text.replaceAll('+', ' '));
  if (!text.includes('%')) return bytes;
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0x25) {
      out[length++] = Number.parseInt(bytes.toString('latin1', i + 1, i + 3), 16);
      i += 2;
    } else out[length++] = bytes[i] as number;
  }
  return out.subarray(0, length);
}
