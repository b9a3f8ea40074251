import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { longFlags, proxyConflicts, proxyOptions } from './options.ts';

it.each([
  [
    ['-p', '8080'],
    ['--port', '8080'],
  ],
  [['-p8080'], ['--port=8080']],
  [['-p=8080'], ['--port=8080']],
  [
    ['-w', 'files', '-P=/f', '-u/run/s'],
    ['--www', 'files', '--www-prefix=/f', '--unix-socket=/run/s'],
  ],
])('reads the short flags %j', (argv, expected) => {
  expect(longFlags(argv)).toEqual(expected);
});

it.each([
  [
    'a socket and a port',
    ['--unix-socket=s', '--port=1'],
    'cannot set --unix-socket and --port at the same time',
  ],
  ['one path for both', ['--www=f', '--www-prefix=/'], '--www-prefix and --api-prefix are the same path'],
  ['a prefix without a slash', ['--api-prefix=k8s'], '--api-prefix does not begin with a slash'],
])('refuses %s', (_, argv, message) => {
  const parsed = parseOptions(proxyOptions, argv, {}, proxyConflicts);
  expect(parsed).toMatchObject({ kind: 'errors', errors: [{ message }] });
});
