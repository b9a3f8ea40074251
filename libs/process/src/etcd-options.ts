import { type ConflictCheck, optionGroup, type OptionsTable } from '@annex/runtime';

/** The etcd cluster that stores objects. */
export interface EtcdConfig {
  etcdServers: readonly string[];
  etcdPrefix: string;
  etcdCafile: string | undefined;
  etcdCertfile: string | undefined;
  etcdKeyfile: string | undefined;
}

/** kube-apiserver's options of etcd. */
export const etcdOptions: OptionsTable<EtcdConfig> = optionGroup('Store', {
  etcdServers: {
    flag: 'etcd-servers',
    type: 'list',
    default: [],
    help: 'URLs of the etcd servers, or of object-storage; without them, objects are stored in the data directory.',
  },
  etcdPrefix: {
    flag: 'etcd-prefix',
    type: 'string',
    default: '/registry',
    help: 'The prefix of all keys in etcd.',
  },
  etcdCafile: { flag: 'etcd-cafile', type: 'path', help: 'The CA of the certificates of etcd.' },
  etcdCertfile: { flag: 'etcd-certfile', type: 'path', help: 'The client certificate for etcd.' },
  etcdKeyfile: { flag: 'etcd-keyfile', type: 'path', help: 'The key of that certificate.' },
});

/** Returns the conflicts of these options. */
export const etcdConflicts: ConflictCheck<EtcdConfig> = (config) => [
  ...((config.etcdCertfile === undefined) === (config.etcdKeyfile === undefined)
    ? []
    : ['--etcd-certfile and --etcd-keyfile belong together']),
  ...config.etcdServers
    .filter((url) => !URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    .map((url) => `--etcd-servers: ${url} is not an http or https URL`),
];
