import type { OptionsTable } from '@annex/runtime';

/** The cases to play, and the server. */
export interface ConformanceOptions {
  server?: string;
  pki?: string;
  kubeconfig?: string;
  onDisk: boolean;
  replicas: number;
  etcdServers?: string;
  section: string;
  only?: string;
  jobs: number;
  kubectl: readonly string[];
  list: boolean;
  update: boolean;
  init: boolean;
  verbose: boolean;
  lines: number;
}

const sections = ['single-process', 'separate-processes', 'replicas'] as const;

export const conformanceOptions: OptionsTable<ConformanceOptions> = {
  server: {
    flag: 'server',
    type: 'string',
    help: 'Play against the server at this URL instead of starting Annex; requires --pki.',
  },
  pki: {
    flag: 'pki',
    type: 'path',
    help: 'Folder with the certificates and keys of that server, including ca and front-proxy-ca.',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    help: 'Kubeconfig with all permissions on that server; without it, kubectl sessions are skipped.',
  },
  onDisk: {
    flag: 'on-disk',
    env: false,
    type: 'bool',
    default: false,
    help: 'Start Annex with its store on the disk instead of in memory.',
  },
  replicas: {
    flag: 'replicas',
    env: false,
    type: 'int',
    default: 1,
    min: 1,
    max: 9,
    help: 'Start this number of replicas on one etcd. Each request goes to the next one, and each connection of kubectl. Scenarios are left out.',
  },
  etcdServers: {
    flag: 'etcd-servers',
    env: false,
    type: 'string',
    help: 'Start them on this etcd, or on what has its API, each time under a new prefix.',
  },
  section: {
    flag: 'section',
    type: 'string',
    default: 'single-process',
    choices: sections,
    help: 'The section of not-passing.txt to compare with.',
  },
  only: {
    flag: 'only',
    type: 'string',
    help: 'Play only cases whose area/name contains this text or matches this regular expression.',
  },
  jobs: {
    flag: 'jobs',
    env: false,
    type: 'int',
    default: 4,
    min: 1,
    max: 64,
    help: 'The number of cases that are played concurrently.',
  },
  kubectl: {
    flag: 'kubectl',
    type: 'list',
    default: ['oldest', 'newest'],
    help: 'Versions of kubectl: numbers, oldest, newest or all. Sessions in which older ones send nothing new are played by them only with all.',
  },
  list: {
    flag: 'list',
    env: false,
    type: 'bool',
    default: false,
    help: 'Print the selected cases, and stop.',
  },
  update: {
    flag: 'update',
    env: false,
    type: 'bool',
    default: false,
    help: 'Remove cases that pass now from not-passing.txt.',
  },
  init: {
    flag: 'init',
    env: false,
    type: 'bool',
    default: false,
    help: 'With --update: also add cases that do not pass.',
  },
  verbose: {
    flag: 'verbose',
    env: false,
    type: 'bool',
    default: false,
    help: 'Print why listed cases do not pass.',
  },
  lines: {
    flag: 'lines',
    env: false,
    type: 'int',
    default: 6,
    min: 1,
    help: 'The number of lines to print for each failure.',
  },
};
