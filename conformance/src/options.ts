import type { OptionsTable } from '@annex/runtime';

/** What is played, and against which server. */
export interface ConformanceOptions {
  server?: string;
  pki?: string;
  kubeconfig?: string;
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

const sections = ['single-process', 'separate-processes'] as const;

export const conformanceOptions: OptionsTable<ConformanceOptions> = {
  server: {
    flag: 'server',
    type: 'string',
    help: 'Play against the server at this URL instead of starting Annex; needs --pki.',
  },
  pki: {
    flag: 'pki',
    type: 'path',
    help: 'Folder with ca and front-proxy-ca, certificates and keys, of that server.',
  },
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    help: 'Kubeconfig with full rights on that server; without it no kubectl session is played.',
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
    help: 'Play only what has this text, or regular expression, in area/name.',
  },
  jobs: {
    flag: 'jobs',
    env: false,
    type: 'int',
    default: 4,
    min: 1,
    max: 64,
    help: 'How many are played at once.',
  },
  kubectl: {
    flag: 'kubectl',
    type: 'list',
    default: ['oldest', 'newest'],
    help: 'Versions of kubectl: numbers, oldest, newest or all. What servers decide is played by the newest of them alone.',
  },
  list: {
    flag: 'list',
    env: false,
    type: 'bool',
    default: false,
    help: 'Print what would be played, and stop.',
  },
  update: {
    flag: 'update',
    env: false,
    type: 'bool',
    default: false,
    help: 'Remove from not-passing.txt what passes now.',
  },
  init: {
    flag: 'init',
    env: false,
    type: 'bool',
    default: false,
    help: 'With --update: also add what does not pass.',
  },
  verbose: {
    flag: 'verbose',
    env: false,
    type: 'bool',
    default: false,
    help: 'Print why listed ones do not pass.',
  },
  lines: {
    flag: 'lines',
    env: false,
    type: 'int',
    default: 6,
    min: 1,
    help: 'Lines to print about each failure.',
  },
};
