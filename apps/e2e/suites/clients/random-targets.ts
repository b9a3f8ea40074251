/** Returns a reproducible generator of pseudorandom numbers. Source: mulberry32. */
export function randomNumbers(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Pieces of request targets, including those that parsers interpret differently. Latin-1, one character for each byte. */
const pieces = [
  ...[
    '/',
    '//',
    '///',
    '/.',
    '/..',
    '/./',
    '/../',
    '.',
    '..',
    '*',
    '\\',
    '/api/v1',
    '/apis',
    'pods',
    'a',
    'é',
    '\u00c3\u00a9',
  ],
  ...[
    '%',
    '%%',
    '%2',
    '%2F',
    '%2f',
    '%2e',
    '%252F',
    '%00',
    '%0a',
    '%25',
    '%zz',
    '%u0041',
    '%C3%A9',
    '%c3',
    '%ff',
    '%ED%A0%80',
  ],
  ...[
    '%F0%9F%98%80',
    '%EF%BF%BD',
    '%5B',
    '%41',
    '%61',
    '%3F',
    '%3D',
    '%26',
    '%3B',
    '%20',
    '%2B',
    '%23',
    '%7f',
  ],
  ...[
    '?',
    '??',
    '&',
    '&&',
    '=',
    '==',
    ';',
    '+',
    '#',
    ',',
    '!',
    '~',
    '$',
    "'",
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '|',
    '^',
    '`',
    '"',
    '<',
    '>',
  ],
  ...[
    'fieldSelector',
    'FieldSelector',
    'metadata.name',
    'metadata.name%3Da',
    '!=',
    'watch=1',
    'watch',
    'limit=1',
    '__proto__=1',
  ],
  ...[
    'http://',
    'https://',
    'HTTP://',
    'ftp:',
    'mailto:',
    ':',
    '@',
    'host',
    'host:80',
    'u:p@',
    '[::1]',
    '[::1]:80',
    '[fe80::1%25en0]',
  ],
  ...['[1.2.3.4]', '[::ffff:1.2.3.4]', '[', ']', ':80', ':a', '127.0.0.1', 'a:b:c', '1:', '+', '-', '.'],
  ...[
    '\u0000',
    '\u0001',
    '\t',
    '\u007f',
    '\u0080',
    '\u00ff',
    '\u00ed\u00a0\u0080',
    '\u00f0\u009f\u0098\u0080',
  ],
];

const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'OPTIONS', 'CONNECT'];
const starts = ['/', '/', '/', '/api/v1/pods?', '/?', '?', '', '', 'http://', 'http://host/', '//'];

/** Method and target of a request line, one character for each byte. */
export type Target = readonly [method: string, target: string];

/** Returns random, mostly hostile request targets, reproducible by seed. They contain no space, which ends a target. */
export function randomTargets(count: number, seed: number): Target[] {
  const next = randomNumbers(seed);
  const one = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  return Array.from({ length: count }, (): Target => {
    let target = one(starts);
    for (let left = next(9); left > 0; left--) target += next(12) === 0 ? randomByte(next) : one(pieces);
    return [one(methods), target];
  });
}

function randomByte(next: (below: number) => number): string {
  const byte = next(256);
  return byte === 0x20 || byte === 0x0a || byte === 0x0d ? '/' : String.fromCharCode(byte);
}
