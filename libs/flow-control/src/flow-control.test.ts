import { createMetrics, type Metrics } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { beforeEach, expect, it } from 'vitest';
import { suggestedLevels, suggestedSchemas } from './bootstrap-objects.ts';
import { dumpPriorityLevels, dumpQueues, dumpRequests } from './dump.ts';
import { FlowControl } from './flow-control.ts';
import { flowRequest } from './flow-request.fixture.ts';
import type { Configured, FlowSchemaSpec, PriorityLevelSpec } from './specs.ts';
import { maxQueues } from './priority-level.ts';
import { Ticket } from './ticket.ts';

const queued = (queues: number): Configured<PriorityLevelSpec> => ({
  name: 'global-default',
  uid: 'u',
  spec: {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: 1,
      limitResponse: { type: 'Queue', queuing: { queues, handSize: 1, queueLengthLimit: 10 } },
    },
  },
});

let clock: FakeClock;
let flows: FlowControl;
let metrics: Metrics;

const withUid = <Spec>(object: { name: string; spec: Spec }): Configured<Spec> => ({
  ...object,
  uid: object.name,
});
const schemas = suggestedSchemas.map(withUid);
const levels = suggestedLevels.map(withUid);

beforeEach(() => {
  clock = new FakeClock();
  metrics = createMetrics();
  const facts = { stored: () => undefined, watches: () => 0 };
  flows = new FlowControl({ clock, metrics, seats: 600, facts });
  flows.configure(schemas, levels);
});

const classify = (name: string, groups: string[], info = {}) =>
  flows.classify({ ...flowRequest(info), user: { name, groups } });
const ticket = ({ outcome }: ReturnType<typeof classify>): Ticket => {
  if (!(outcome instanceof Ticket)) throw new Error(outcome);
  return outcome;
};
const everybody = ['system:authenticated'];

it.each<[string, string, string[], object, string]>([
  ['an administrator', 'admin', ['system:masters', ...everybody], {}, 'exempt'],
  ['a probe', 'x', everybody, { isResourceRequest: false, path: '/readyz' }, 'probes'],
  ['a kubelet', 'system:node:a', ['system:nodes', ...everybody], { resource: 'pods' }, 'system-nodes'],
  [
    'the Node of a kubelet',
    'n',
    ['system:nodes'],
    { resource: 'nodes', subresource: 'status' },
    'system-node-high',
  ],
  [
    'the Lease of a leader',
    'system:kube-scheduler',
    everybody,
    { apiGroup: 'coordination.k8s.io', resource: 'leases', namespace: 'a' },
    'system-leader-election',
  ],
  ['a scheduler', 'system:kube-scheduler', everybody, {}, 'kube-scheduler'],
  ['a controller', 'system:serviceaccount:kube-system:c', everybody, {}, 'kube-system-service-accounts'],
  [
    'another service account',
    'system:serviceaccount:a:b',
    ['system:serviceaccounts'],
    {},
    'service-accounts',
  ],
  ['anybody else', 'jane', everybody, {}, 'global-default'],
  ['somebody without groups', 'jane', [], {}, 'catch-all'],
])('the FlowSchema of %s', (_what, name, groups, info, schema) =>
  expect(classify(name, groups, info).schema.name).toBe(schema),
);

// The table of the documentation for 600 seats.
it('levels get their shares of the seats', () => {
  const seats = Object.fromEntries(
    flows.levels.map(({ name, nominal, least, most }) => [name, [nominal, least, most]]),
  );
  expect(seats).toEqual({
    'catch-all': [13, 13, 613],
    exempt: [0, 0, 600],
    'global-default': [49, 24, 649],
    'leader-election': [25, 25, 625],
    'node-high': [98, 73, 698],
    system: [74, 50, 674],
    'workload-high': [98, 49, 698],
    'workload-low': [245, 24, 845],
  });
});

it('without objects, the mandatory ones are used', () => {
  flows.configure([], []);
  expect(flows.levels.map(({ name }) => name)).toEqual(['catch-all', 'exempt']);
  expect(classify('jane', everybody).schema.name).toBe('catch-all');
  expect(classify('admin', ['system:masters']).schema.name).toBe('exempt');
});

it('a schema whose level does not exist or is inconsistent is not used', () => {
  const mine = (level: string): Configured<FlowSchemaSpec> => ({
    name: 'mine',
    uid: 'u',
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: 10,
      rules: [{ subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [everyPod] }],
    },
  });
  const broken: Configured<PriorityLevelSpec> = { name: 'broken', uid: 'u', spec: { type: 'Limited' } };
  const huge = { ...queued(maxQueues + 1), name: 'huge' };
  flows.configure([...schemas, mine('missing')], levels);
  expect(classify('jane', everybody).schema.name).toBe('global-default');
  flows.configure([...schemas, mine('broken')], [...levels, broken]);
  expect(classify('jane', everybody).schema.name).toBe('global-default');
  flows.configure([...schemas, mine('huge')], [...levels, huge]);
  expect(classify('jane', everybody).schema.name).toBe('global-default');
  flows.configure([...schemas, mine('system')], levels);
  expect(classify('jane', everybody).schema).toMatchObject({ name: 'mine' });
});
const everyPod = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true };

it('a deleted level ends with its last request', () => {
  const { schema, outcome } = classify('jane', everybody);
  flows.configure(
    schemas,
    levels.filter(({ name }) => name !== 'global-default'),
  );
  const quiescing = () => flows.levels.find(({ name }) => name === 'global-default')?.isQuiescing;
  expect(quiescing()).toBe(true);
  expect(classify('jane', everybody).schema.name).toBe('catch-all');
  flows.finish(schema, outcome as Ticket);
  expect(quiescing()).toBeUndefined();
});

it('a level with demand borrows the seats that others lend, and returns them when they need them', async () => {
  const stop = flows.start();
  const level = (name: string) => flows.levels.find((one) => one.name === name)!;
  const running = Array.from({ length: 2000 }, (_, i) => classify(`u${i}`, everybody));
  expect(level('global-default').queues.seatsInUse).toBeLessThan(700);
  await clock.advance(10_000);
  expect(level('global-default').queues.limit).toBeGreaterThan(200);
  const limits = flows.levels.map(({ queues }) => queues.limit);
  expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThanOrEqual(600 + 10);
  for (const { schema, outcome } of running)
    if (outcome instanceof Ticket && outcome.startedAt === undefined)
      flows.finish(schema, outcome, 'cancelled');
  for (const { schema, outcome } of running)
    if (outcome instanceof Ticket && outcome.startedAt !== undefined) flows.finish(schema, outcome);
  expect(level('global-default').queues.isIdle).toBe(true);
  stop();
});

it('a request in a queue ends with its time, its seats, or its client', async () => {
  flows.configure(schemas, [...levels.filter(({ name }) => name !== 'global-default'), queued(1)]);
  for (const level of flows.levels)
    if (level.name === 'global-default') level.queues.configure(level.limiting, 1);
  const first = classify('jane', everybody);
  const never = new AbortController().signal;
  const [late, aborted, served] = [1, 2, 3].map(() => classify('jane', everybody));
  const abort = new AbortController();
  const results = [
    flows.wait(late!.schema, ticket(late!), 100, never),
    flows.wait(aborted!.schema, ticket(aborted!), 1000, abort.signal),
    flows.wait(served!.schema, ticket(served!), 1000, never),
  ];
  await clock.advance(100);
  abort.abort();
  flows.finish(first.schema, ticket(first));
  expect(await Promise.all(results)).toEqual(['timed out', 'cancelled', 'started']);
  expect(clock.pending).toBe(0);
});

it('levels, queues and requests are shown as tables', () => {
  classify('jane', everybody, { namespace: 'a', name: 'p' });
  const row = (text: string, name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(/,\s*/);
  expect(row(dumpPriorityLevels(flows.levels), 'global-default')).toEqual(
    ['global-default', 0, false, false, 0, 1, 1, 0, 0, 0].map(String),
  );
  expect(dumpQueues(flows.levels).split('\n').length).toBe(64 + 64 + 16 + 3 * 128 + 2);
  const now = { wall: clock.now(), monotonic: clock.monotonic() };
  expect(row(dumpRequests(flows.levels, true, now), 'global-default')?.slice(-8)).toEqual([
    'jane',
    'get',
    '/',
    'a',
    'p',
    'v1',
    'pods',
    '',
  ]);
});

it('metrics count what has seats and what is refused', async () => {
  const { schema } = classify('metric', everybody);
  flows.metrics.refused(schema, 'time-out');
  const text = await metrics.render();
  expect(text).toContain('apiserver_flowcontrol_nominal_limit_seats{priority_level="system"} 74');
  expect(text).toMatch(/rejected_requests_total\{[^}]*reason="time-out"\} 1/);
  expect(text).toMatch(
    /current_executing_seats\{flow_schema="global-default",priority_level="global-default"\} 1/,
  );
});
