import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** The configuration of `annex pki`. */
export interface PkiConfig {
  dataDir: string;
  server: string;
  controllersServer: string;
  subjectAltNames: readonly string[];
  apps: readonly string[];
  etcdSubjectAltNames: readonly string[];
  konnectivitySubjectAltNames: readonly string[];
  konnectivitySocket: string;
  serviceKeys: boolean;
}

const defaultApps = ['core-api', 'crd-registry', 'authorization', 'discovery', 'controllers', 'scheduler'];

/** The options of `annex pki`. */
export const pkiOptions: OptionsTable<PkiConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'The directory for kubeconfigs, with keys and certificates in its folder pki.',
  },
  server: {
    flag: 'server',
    type: 'string',
    default: 'https://127.0.0.1:6443',
    help: 'The URL of the front proxy in the administrator’s kubeconfig.',
  },
  controllersServer: {
    flag: 'controllers-server',
    type: 'string',
    default: 'https://front-proxy:6443',
    help: 'The URL of the front proxy for the controllers, the fake nodes and the scheduler.',
  },
  subjectAltNames: {
    flag: 'subject-alt-names',
    type: 'list',
    default: ['front-proxy', '10.0.0.1'],
    help: 'Additional names and addresses of the front proxy: those of its host, and the first address of the Service range.',
  },
  apps: {
    flag: 'apps',
    type: 'list',
    default: defaultApps,
    help: 'Apps that get a serving certificate for their name and for this machine.',
  },
  etcdSubjectAltNames: {
    flag: 'etcd-subject-alt-names',
    type: 'list',
    default: ['object-storage'],
    help: 'Names and addresses of the etcd servers.',
  },
  konnectivitySubjectAltNames: {
    flag: 'konnectivity-subject-alt-names',
    type: 'list',
    default: ['konnectivity-server'],
    help: 'Names and addresses of the Konnectivity server, for its agents.',
  },
  konnectivitySocket: {
    flag: 'konnectivity-socket',
    type: 'path',
    default: '/konnectivity/konnectivity-server.socket',
    help: 'The Unix socket of the Konnectivity server, in egress-selector-configuration.yaml.',
  },
  serviceKeys: {
    flag: 'service-keys',
    type: 'bool',
    default: false,
    help: 'Also copy the files that each service of deploy/compose.yaml reads into services/NAME of the data directory.',
  },
};

/** Rules between the options. */
export const pkiConflicts: ConflictCheck<PkiConfig> = (config) => [
  ...[config.server, config.controllersServer]
    .filter((url) => !URL.canParse(url) || new URL(url).protocol !== 'https:')
    .map((url) => `${url} is not an https URL`),
  ...config.apps
    .filter((name) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) || taken.includes(name))
    .map((name) => `--apps: ${name} cannot be the name of an app`),
  ...(config.serviceKeys && !defaultApps.every((name) => config.apps.includes(name))
    ? [`--service-keys requires --apps=${defaultApps.join(',')}`]
    : []),
];

// Files of other identities.
const taken = [
  'ca',
  'front-proxy-ca',
  'front-proxy-client',
  'apiserver',
  'admin',
  'controller-manager',
  'fake-nodes',
  'kube-scheduler',
  'sa',
];
