import { type ConflictCheck, optionGroup, type OptionsTable } from '@annex/runtime';

/** The etcd cluster that stores objects, and their encryption. */
export interface EtcdConfig {
  etcdServers: readonly string[];
  etcdPrefix: string;
  etcdCafile: string | undefined;
  etcdCertfile: string | undefined;
  etcdKeyfile: string | undefined;
  encryptionProviderConfig: string | undefined;
  encryptionProviderConfigAutomaticReload: boolean;
}

/** kube-apiserver's options of etcd, and of the encryption of what is stored. */
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
  encryptionProviderConfig: {
    flag: 'encryption-provider-config',
    type: 'path',
    help: 'An EncryptionConfiguration: how stored objects are encrypted. KMS plugins are not supported.',
  },
  encryptionProviderConfigAutomaticReload: {
    flag: 'encryption-provider-config-automatic-reload',
    type: 'bool',
    default: false,
    help: 'Read that file again when it changes.',
  },
});

/** Returns the conflicts of these options. */
export const etcdConflicts: ConflictCheck<EtcdConfig> = (config) => [
  ...((config.etcdCertfile === undefined) === (config.etcdKeyfile === undefined)
    ? []
    : ['--etcd-certfile and --etcd-keyfile belong together']),
  ...config.etcdServers
    .filter((url) => !URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol))
    .map((url) => `--etcd-servers: ${url} is not an http or https URL`),
  ...(config.encryptionProviderConfigAutomaticReload && config.encryptionProviderConfig === undefined
    ? ['--encryption-provider-config-automatic-reload must be set with --encryption-provider-config']
    : []),
];
