import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** The rows to measure, and the servers. */
export interface BenchOptions {
  only: readonly string[];
  rounds?: number;
  quick: boolean;
  list: boolean;
  peerKubeconfig?: string;
  peerUrl?: string;
  peerPid: readonly string[];
  peerName: string;
  allocations: boolean;
  reference?: string;
  program?: string;
  compare?: string;
  cold: boolean;
  cpuProfDir?: string;
}

export const benchOptions: OptionsTable<BenchOptions> = {
  only: {
    flag: 'only',
    env: false,
    type: 'list',
    default: [],
    help: 'Run only the rows with these words in their names. Those of the tunnel, of schedulers, of growth and of turns run only if they are selected.',
  },
  rounds: {
    flag: 'rounds',
    env: false,
    type: 'int',
    min: 1,
    max: 100,
    help: 'Rounds of each row; 3, with --quick 1.',
  },
  quick: {
    flag: 'quick',
    env: false,
    type: 'bool',
    default: false,
    help: 'Short rounds: rough results in 40 s.',
  },
  list: { flag: 'list', env: false, type: 'bool', default: false, help: 'Print the rows and stop.' },
  peerKubeconfig: {
    flag: 'peer-kubeconfig',
    env: false,
    type: 'path',
    help: 'A kubeconfig with all permissions on a second server, which is measured alternately.',
  },
  peerUrl: {
    flag: 'peer-url',
    env: false,
    type: 'string',
    help: 'Its URL, if it differs from that of the kubeconfig.',
  },
  peerPid: {
    flag: 'peer-pid',
    env: false,
    type: 'list',
    default: [],
    help: 'Its process ids, including the store, whose memory and CPU time are added up.',
  },
  peerName: {
    flag: 'peer-name',
    env: false,
    type: 'string',
    default: 'peer',
    help: 'Its name in the table.',
  },
  allocations: {
    flag: 'allocations',
    env: false,
    type: 'bool',
    default: false,
    help: 'Count the bytes that requests allocate, and write them to bench/allocations.json, which a unit test compares.',
  },
  reference: {
    flag: 'reference',
    env: false,
    type: 'path',
    help: 'A folder with the programs kube-apiserver and etcd: measures the table of Annex beside them, each on an empty store, instead of the rows; rows of growth are measured with them, too.',
  },
  program: {
    flag: 'program',
    env: false,
    type: 'path',
    help: 'The file bin/annex.js of the Annex whose turns are measured, or that --reference measures, for example of an installed package. Default: this checkout.',
  },
  compare: {
    flag: 'compare',
    env: false,
    type: 'string',
    help: 'A commit: measures the table of this checkout beside that commit, in both orders.',
  },
  cold: {
    flag: 'cold',
    env: false,
    type: 'bool',
    default: false,
    help: 'The rows of the table begin with servers that have not done their work before.',
  },
  cpuProfDir: {
    flag: 'cpu-prof-dir',
    env: false,
    type: 'path',
    help: 'Write a CPU profile of the Annex under load into this folder; slows it down.',
  },
};

const isOfTurns = (name: string): boolean => name.startsWith('turns');

export const benchConflicts: ConflictCheck<BenchOptions> = (config) => [
  ...(config.peerKubeconfig === undefined && (config.peerUrl !== undefined || config.peerPid.length > 0)
    ? ['--peer-url and --peer-pid require --peer-kubeconfig']
    : []),
  ...(config.program !== undefined && config.reference === undefined && !config.only.some(isOfTurns)
    ? ['--program requires --reference, or --only with turns']
    : []),
  ...(config.cold && config.reference === undefined && config.compare === undefined
    ? ['--cold requires --reference or --compare']
    : []),
  ...config.peerPid
    .filter((pid) => !/^\d+$/.test(pid))
    .map((pid) => `--peer-pid: ${pid} is not a process id`),
];
