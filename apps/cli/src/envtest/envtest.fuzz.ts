import { parseOptions } from '@annex/runtime';
import { type FuzzTarget, utf8Text } from '@annex/testkit';
import { kubeApiserver } from '../kube-apiserver-flags.ts';
import { upConflicts } from '../up-options.ts';
import { etcdFlags, etcdOptions, withTwoDashes } from './etcd.ts';
import { kubeApiserverOptions } from './kube-apiserver.ts';

const flags = [...kubeApiserver.flags.keys(), ...etcdFlags.keys()].slice(0, 400).map((flag) => `--${flag}`);

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'envtest-options',
    seeds: [
      '--etcd-servers=http://127.0.0.1:2379\n--secure-port=0\n--cert-dir=/tmp/k\n--allow-privileged=true',
      '-data-dir=/tmp\n--listen-client-urls=http://127.0.0.1:0\n-unsafe-no-fsync\n-name\na',
      '--service_cluster_ip_range=10.0.0.0/24\n--disable-admission-plugins=ServiceAccount,\n-h',
    ],
    dictionary: [...flags, '=true', '=false', '--', '_', '\n'],
    maxBytes: 512,
    run(input) {
      const argv = utf8Text(input).split('\n');
      parseOptions(kubeApiserverOptions, argv, {}, upConflicts, kubeApiserver.flags);
      parseOptions(etcdOptions, withTwoDashes(argv), {}, () => [], etcdFlags);
    },
  },
];
