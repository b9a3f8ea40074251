import { expect, it } from 'vitest';
import { goFlagError } from './go-flags.ts';
import { schedulerOptions } from './options.ts';

it.each([
  ['--nope', 'unknown flag: --nope'],
  ['--config', 'flag needs an argument: --config'],
  [
    '--leader-elect=perhaps',
    'invalid argument "perhaps" for "--leader-elect" flag: strconv.ParseBool: parsing "perhaps": invalid syntax',
  ],
  [
    '--bind-address=localhost',
    'invalid argument "localhost" for "--bind-address" flag: failed to parse IP: "localhost"',
  ],
  [
    '--v=loud',
    'invalid argument "loud" for "-v, --v" flag: strconv.ParseUint: parsing "loud": invalid syntax',
  ],
  ['--feature-gates=AllBeta', 'missing bool value for AllBeta'],
  ['--logging-format=xml', 'format: Invalid value: "xml": Unsupported log format'],
  ['--tls-min-version=VersionTLS99', 'unknown tls version "VersionTLS99"'],
  ['extra', '"kube-scheduler" does not take any arguments, got ["extra"]'],
  ['--secure-port=0', undefined],
  ['--bind_address=::1', undefined],
])('%s: %s', (argument, error) => {
  expect(goFlagError([argument], schedulerOptions)).toBe(error);
});
