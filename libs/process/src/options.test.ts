import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { standaloneConflicts, standaloneOptions } from './options.ts';

const least = [
  '--tls-cert-file=a.crt',
  '--tls-private-key-file=a.key',
  '--etcd-servers=https://etcd:2379',
  '--requestheader-client-ca-file=front-proxy-ca.crt',
];
const without = (flag: string) => least.filter((text) => !text.startsWith(`--${flag}`));

const cases: [what: string, argv: string[], messages: string[]][] = [
  ['the required options', least, []],
  ['no store', without('etcd-servers'), ['--etcd-servers is required']],
  [
    'no CA',
    without('requestheader-client-ca-file'),
    ['--requestheader-client-ca-file or --client-ca-file is required for authentication'],
  ],
  [
    'a certificate without its key',
    [...least, '--etcd-certfile=client.crt'],
    ['--etcd-certfile and --etcd-keyfile belong together'],
  ],
  [
    'a store without a protocol',
    [...without('etcd-servers'), '--etcd-servers=etcd:2379'],
    ['--etcd-servers: etcd:2379 is not an http or https URL'],
  ],
];
it.each(cases)('the errors of %s', (_what, argv, messages) => {
  const parsed = parseOptions(standaloneOptions, argv, {}, standaloneConflicts);
  expect(parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : []).toEqual(messages);
});
