import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** The configuration of `annex pki`. */
export interface PkiConfig {
  dataDir: string;
  server: string;
  controllersServer: string;
  subjectAltNames: readonly string[];
  apps: readonly string[];
  etcdSubjectAltNames: readonly string[];
  serviceKeys: boolean;
}

const defaultApps = ['core-api', 'crd-registry', 'authorization', 'discovery', 'controllers'];

/** The options of `annex pki`. */
export const pkiOptions: OptionsTable<PkiConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'Keys and certificates are made in its folder pki, kubeconfigs beside it.',
  },
  server: {
    flag: 'server',
    type: 'string',
    default: 'https://127.0.0.1:6443',
    help: 'Where clients with the administrator’s kubeconfig reach the front proxy.',
  },
  controllersServer: {
    flag: 'controllers-server',
    type: 'string',
    default: 'https://front-proxy:6443',
    help: 'Where the controllers reach it.',
  },
  subjectAltNames: {
    flag: 'subject-alt-names',
    type: 'list',
    default: ['front-proxy', '10.0.0.1'],
    help: 'Further names and addresses of the front proxy: its own, and the first of the range of Services.',
  },
  apps: {
    flag: 'apps',
    type: 'list',
    default: defaultApps,
    help: 'Apps that get a serving certificate, under their name and on this machine.',
  },
  etcdSubjectAltNames: {
    flag: 'etcd-subject-alt-names',
    type: 'list',
    default: ['object-storage'],
    help: 'Names and addresses of the etcd servers.',
  },
  serviceKeys: {
    flag: 'service-keys',
    type: 'bool',
    default: false,
    help: 'Also copy what each service of deploy/compose.yaml reads, and nothing else, into services/NAME of the data directory.',
  },
};

/** Rules between the options. */
export const pkiConflicts: ConflictCheck<PkiConfig> = (config) => [
  ...[config.server, config.controllersServer]
    .filter((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:')
    .map((url) => `${url} is no https URL`),
  ...config.apps
    .filter((name) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) || taken.includes(name))
    .map((name) => `--apps: ${name} cannot be the name of an app`),
  ...(config.serviceKeys && !defaultApps.every((name) => config.apps.includes(name))
    ? [`--service-keys needs all of --apps=${defaultApps.join(',')}`]
    : []),
];

// Files that have a meaning of their own.
const taken = [
  'ca',
  'front-proxy-ca',
  'front-proxy-client',
  'apiserver',
  'admin',
  'controller-manager',
  'sa',
];
