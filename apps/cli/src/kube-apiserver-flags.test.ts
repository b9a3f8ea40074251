import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { kubeApiserverHelp } from './kube-apiserver-help.ts';
import { kubeApiserver, kubeApiserverFlags } from './kube-apiserver-flags.ts';
import { upConflicts, upOptions } from './up-options.ts';

const flags = Object.values(kubeApiserverFlags).flatMap((group) => Object.entries(group));
const own = new Set(Object.values(upOptions).map(({ flag }) => flag));
const read = (...argv: string[]) => parseOptions(upOptions, argv, {}, upConflicts, kubeApiserver.flags);

it('lists each of the 170 flags of kube-apiserver 1.36 once', () => {
  expect(flags).toHaveLength(170);
  expect(new Set(flags.map(([flag]) => flag)).size).toBe(170);
});

it('has an option for exactly the flags with an effect', () => {
  const claimed = flags.filter(([, fate]) => fate === 'effect').map(([flag]) => flag);
  expect(claimed).toEqual(flags.map(([flag]) => flag).filter((flag) => own.has(flag)));
});

it('lists a flag a line in --help, without those that it refuses', () => {
  const lines = kubeApiserverHelp().match(/^\s+--[\w-]+/gm);
  expect(lines).toHaveLength(167);
  expect(kubeApiserverHelp()).toMatch(/^\s*--allow-privileged\b/m);
  expect(kubeApiserverHelp()).not.toMatch(/^\s*--(insecure-port|etcd-servers-overrides) /m);
});

it.each<[string, string[], object]>([
  [
    'envtest',
    [
      '--allow-privileged=true',
      '--bind-address=127.0.0.1',
      '--cert-dir=/tmp/c',
      '--disable-admission-plugins=ServiceAccount',
      '--etcd-servers=http://127.0.0.1:2379',
      '--secure-port=6443',
      '--service-cluster-ip-range=10.0.0.0/24',
    ],
    { withoutEffect: ['allow-privileged'], config: { certDir: '/tmp/c', port: 6443 } },
  ],
  [
    'the Java port: values after spaces, a bare switch, and one flag twice',
    ['--allow-privileged', '--secure-port', '1', '--secure-port', '2', '--cert-dir', 'c'],
    { withoutEffect: ['allow-privileged'], config: { certDir: 'c', port: 2 } },
  ],
  [
    'other suites',
    ['--feature-gates=A=true,B=false', '--delete-collection-workers=4', '-v', '4'],
    { withoutEffect: ['feature-gates', 'delete-collection-workers', 'v'] },
  ],
])('accepts the flags of %s', (_what, argv, expected) => {
  expect(read(...argv)).toMatchObject({ kind: 'config', ...expected });
});

it.each([
  ['--etcd-servers-overrides=x', '--etcd-servers-overrides: all kinds are stored in the same etcd'],
  ['--etcd-server=x', 'unknown option --etcd-server; did you mean --etcd-servers?'],
  ['--insecure-port=0', 'unknown option --insecure-port; did you mean --secure-port?'],
  ['--tls-cert-file=x', '--tls-cert-file and --tls-private-key-file must be set together'],
  [
    '--encryption-provider-config-automatic-reload',
    '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
  ],
  ['--etcd-certfile=x', '--etcd-certfile and --etcd-keyfile belong together'],
])('refuses %s', (flag, message) => {
  expect(read(flag)).toMatchObject({ kind: 'errors', errors: [{ message }] });
});
