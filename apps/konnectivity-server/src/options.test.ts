import { parseOptions } from '@annex/runtime';
import { expect, test } from 'vitest';
import { konnectivityServerConflicts } from './option-conflicts.ts';
import { konnectivityServerOptions, upstreamServerFlags } from './options.ts';

const cluster = ['--cluster-cert=c', '--cluster-key=k'];
const uds = ['--uds-name=/run/s', '--server-port=0', ...cluster];
const tcp = ['--server-cert=c', '--server-key=k', '--server-ca-cert=a', ...cluster];
const tokens = ['--agent-namespace=kube-system', '--agent-service-account=a', '--authentication-audience=x'];

const problemsOf = (argv: string[]): string[] => {
  const parsed = parseOptions(
    konnectivityServerOptions,
    argv,
    {},
    konnectivityServerConflicts,
    upstreamServerFlags,
  );
  return parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : [];
};

test.each<[string, string[], string[]]>([
  ['a Unix socket', uds, []],
  ['TCP with mutual TLS', tcp, []],
  ['KON-016 flags of the documented static Pod', [...uds, ...tokens, '--logtostderr=true', '--v=2'], []],
  [
    'a Unix socket and a port',
    ['--uds-name=/run/s', ...cluster],
    ['server port should be set to 0 not 8090 for UDS'],
  ],
  [
    'TCP without CAs',
    ['--server-cert=c', '--server-key=k', ...cluster],
    ['server ca cert must be set when in TCP mode (uds-name is empty)'],
  ],
  [
    'a Unix socket and certificates of TCP',
    [...uds, ...tcp],
    ['server key', 'server cert', 'server ca cert'].map((name) => `${name} should not be set for UDS`),
  ],
  ['levels of logs in the short forms', [...uds, '-v=4', '-v4', '-v', '4'], []],
  ['the lowest level of logs', [...uds, '--v=-2147483648'], []],
  [
    'a level of logs that is no number',
    [...uds, '-vabc'],
    ['invalid argument "abc" for "-v, --v" flag: strconv.ParseInt: parsing "abc": invalid syntax'],
  ],
  [
    'a level of logs that is too high',
    [...uds, '--v=2147483648'],
    [
      'invalid argument "2147483648" for "-v, --v" flag: strconv.ParseInt: parsing "2147483648": value out of range',
    ],
  ],
  ['no channels', [...uds, '--xfr-channel-size=0'], ['channel size 0 must be greater than 0']],
  ['another mode', [...uds, '--mode=x'], [`mode must be set to either 'grpc' or 'http-connect' not "x"`]],
  [
    'an ephemeral port',
    [...uds, '--agent-port=50000'],
    ['please do not try to use ephemeral port 50000 for the agent port'],
  ],
  [
    'a reserved port',
    [...uds, '--health-port=80'],
    ['please do not try to use reserved port 80 for the health port'],
  ],
  [
    'tokens and certificates of agents',
    [...uds, ...tokens, '--cluster-ca-cert=a'],
    ['--cluster-ca-cert can not be used when agent authentication is enabled'],
  ],
  [
    'tokens without a namespace',
    [...uds, ...tokens.slice(1)],
    ['--agent-namespace cannot be empty when agent authentication is enabled'],
  ],
  [
    'an unknown strategy',
    [...uds, '--proxy-strategies=default,x'],
    ['invalid proxy strategies: unknown proxy strategy: x'],
  ],
  [
    'a key without a certificate',
    ['--server-key=k', '--server-ca-cert=a', ...cluster],
    [
      'server cert must be set when in TCP mode (uds-name is empty)',
      'cannot have server cert empty when server key is set to "k"',
    ],
  ],
  [
    'cipher suites by the names of Go',
    [...uds, '--cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256'],
    [],
  ],
  [
    'cipher suites by the names of OpenSSL',
    [...uds, '--cipher-suites=ECDHE-ECDSA-AES128-GCM-SHA256'],
    ["--cipher-suites: Cipher suite ECDHE-ECDSA-AES128-GCM-SHA256 not supported or doesn't exist"],
  ],
  [
    'IDs of agents by certificates that they do not need',
    [...uds, '--agent-id-from-certificate'],
    ['--agent-id-from-certificate requires --cluster-ca-cert'],
  ],
  ['flags of profiles', [...uds, '--enable-profiling', '--enable-contention-profiling=false'], []],
  [
    'profiles of locks alone',
    [...uds, '--enable-contention-profiling'],
    ['if --enable-contention-profiling is set, --enable-profiling must also be set'],
  ],
  [
    'flags of the log of upstream',
    [
      ...uds,
      '--skip-headers',
      '--log-file=/dev/null',
      '--stderrthreshold',
      '1',
      '--vmodule=a=1',
      '--one-output',
    ],
    [],
  ],
  ['several labels of leases', [...uds, '--lease-label=a=b,c=d'], []],
  ['a label without a value', [...uds, '--lease-label=a=b,c'], ['--lease-label: invalid label format: c']],
  [
    'a label with two values',
    [...uds, '--lease-label=a=b=c'],
    ['--lease-label: invalid label format: a=b=c'],
  ],
])('%s', (_sentence, argv, problems) => expect(problemsOf(argv)).toEqual(problems));
