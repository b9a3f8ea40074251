import type {
  Configured,
  FlowSchemaSpec,
  NonResourceRule,
  PriorityLevelSpec,
  ResourceRule,
  Subject,
} from './specs.ts';

type Named<Spec> = Omit<Configured<Spec>, 'uid'>;

/** The annotation of objects whose spec the server keeps as it is here. */
export const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';

const queued = (
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): PriorityLevelSpec => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  },
});

/** The levels that always exist. */
export const mandatoryLevels: readonly Named<PriorityLevelSpec>[] = [
  { name: 'exempt', spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  {
    name: 'catch-all',
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  },
];

/** The levels that the server creates, and administrators may change. */
export const suggestedLevels: readonly Named<PriorityLevelSpec>[] = [
  { name: 'system', spec: queued(30, 33, 64, 6) },
  { name: 'node-high', spec: queued(40, 25, 64, 6) },
  { name: 'leader-election', spec: queued(10, 0, 16, 4) },
  { name: 'workload-high', spec: queued(40, 50, 128, 6) },
  { name: 'workload-low', spec: queued(100, 90, 128, 6) },
  { name: 'global-default', spec: queued(20, 50, 128, 6) },
];

const users = (...names: string[]): Subject[] => names.map((name) => ({ kind: 'User', user: { name } }));
const groups = (...names: string[]): Subject[] => names.map((name) => ({ kind: 'Group', group: { name } }));
const kubeSystemAccounts: Subject[] = [
  { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } },
];
const everybody = groups('system:unauthenticated', 'system:authenticated');

const everyResource: ResourceRule = {
  verbs: ['*'],
  apiGroups: ['*'],
  resources: ['*'],
  clusterScope: true,
  namespaces: ['*'],
};
const everyPath: NonResourceRule = { verbs: ['*'], nonResourceURLs: ['*'] };
const leases = (verbs: string[]): ResourceRule => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
});

interface SchemaRow {
  name: string;
  level: string;
  precedence: number;
  by?: 'ByUser' | 'ByNamespace';
  subjects: Subject[];
  /** All resources and paths if absent. */
  rules?: { resourceRules?: ResourceRule[]; nonResourceRules?: NonResourceRule[] };
}

function schema({ name, level, precedence, by, subjects, rules }: SchemaRow): Named<FlowSchemaSpec> {
  const all = { resourceRules: [everyResource], nonResourceRules: [everyPath] };
  return {
    name,
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules: [{ subjects, ...(rules ?? all) }],
    },
  };
}

/** The schemas that always exist. */
export const mandatorySchemas: readonly Named<FlowSchemaSpec>[] = [
  schema({ name: 'exempt', level: 'exempt', precedence: 1, subjects: groups('system:masters') }),
  schema({ name: 'catch-all', level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: everybody }),
];

const probes = { verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] };
const nodes = { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'] };
const managers = ['system:kube-controller-manager', 'system:kube-scheduler'] as const;

/** The schemas that the server creates, and administrators may change. */
export const suggestedSchemas: readonly Named<FlowSchemaSpec>[] = [
  { name: 'system-nodes', level: 'system', precedence: 500, by: 'ByUser', subjects: groups('system:nodes') },
  {
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: groups('system:nodes'),
    rules: { resourceRules: [{ ...nodes, clusterScope: true, namespaces: ['*'] }, leases(['*'])] },
  },
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: everybody,
    rules: { nonResourceRules: [probes] },
  },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [...users(...managers), ...kubeSystemAccounts],
    rules: { resourceRules: [leases(['get', 'create', 'update'])] },
  },
  {
    name: 'kube-controller-manager',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: users(managers[0]),
  },
  {
    name: 'kube-scheduler',
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: users(managers[1]),
  },
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: kubeSystemAccounts,
  },
  {
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: groups('system:serviceaccounts'),
  },
  {
    name: 'global-default',
    level: 'global-default',
    precedence: 9900,
    by: 'ByUser',
    subjects: everybody,
  },
].map((row) => schema(row as SchemaRow));
