import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { deletePod, live, podWith, stage } from './life.fixture.ts';
import type { Pod } from './pod.ts';

const container = (name: string, more: JsonObject = {}) => ({ name, image: 'nginx', ...more });
const two = { containers: [container('a'), container('b')] };
const job = { restartPolicy: 'Never' };
const fails = (exitCode: number, times?: number) =>
  stage({ transition: 'Exit', failure: { exitCode, ...(times === undefined ? {} : { times }) } });

interface Case {
  spec?: JsonObject;
  stages?: JsonObject[];
  untilMs?: number;
  lines: string[];
}

const starts = ['Pending unready c=ContainerCreating', 'Pending unready c=ContainerCreating'];

const cases: Record<string, Case> = {
  'runs and is ready': { lines: [...starts, 'Running ready c=running+'] },
  'is ready after its probes': {
    spec: { containers: [container('c', { startupProbe: {}, readinessProbe: {} })] },
    lines: [...starts, 'Running unready c=running', 'Running unready c=running', 'Running ready c=running+'],
  },
  'runs its init containers in order, and sidecars until it ends': {
    spec: {
      restartPolicy: 'OnFailure',
      initContainers: [container('one'), container('side', { restartPolicy: 'Always' }), container('two')],
    },
    lines: [
      'Pending unready one=PodInitializing side=PodInitializing two=PodInitializing c=PodInitializing',
      'Pending unready one=PodInitializing side=PodInitializing two=PodInitializing c=PodInitializing',
      'Pending unready one=running side=PodInitializing two=PodInitializing c=PodInitializing',
      'Pending unready one=Completed(0) side=PodInitializing two=PodInitializing c=PodInitializing',
      'Pending unready one=Completed(0) side=running+ two=PodInitializing c=PodInitializing',
      'Pending unready one=Completed(0) side=running+ two=running c=PodInitializing',
      'Pending unready one=Completed(0) side=running+ two=Completed(0) c=PodInitializing',
      'Running ready one=Completed(0) side=running+ two=Completed(0) c=running+',
      'Running unready one=Completed(0) side=running+ two=Completed(0) c=Completed(0)',
      'Succeeded unready one=Completed(0) side=Completed(0) two=Completed(0) c=Completed(0)',
    ],
  },
  'of a Job succeeds': {
    spec: job,
    lines: [...starts, 'Running ready c=running+', 'Succeeded unready c=Completed(0)'],
  },
  'ends as its command says': {
    spec: { ...job, containers: [container('c', { command: ['sh', '-c', 'sleep 30; exit 4'] })] },
    lines: [...starts, 'Running ready c=running+', 'Failed unready c=Error(4)'],
  },
  'fails with the exit code of a stage': {
    spec: job,
    stages: [fails(3)],
    lines: [...starts, 'Running ready c=running+', 'Failed unready c=Error(3)'],
  },
  'restarts at once, and after a back-off that doubles': {
    spec: { restartPolicy: 'OnFailure' },
    stages: [fails(1, 3)],
    lines: [
      ...starts,
      'Running ready c=running+',
      'Running unready c=Error(1)',
      'Running ready c#1=running+',
      'Running unready c#1=Error(1)',
      'Running unready c#1=CrashLoopBackOff',
      'Running ready c#2=running+',
      'Running unready c#2=Error(1)',
      'Running unready c#2=CrashLoopBackOff',
      'Running ready c#3=running+',
      'Succeeded unready c#3=Completed(0)',
    ],
  },
  'runs forever once the failures of a stage are over': {
    stages: [fails(1, 1)],
    lines: [
      ...starts,
      'Running ready c=running+',
      'Running unready c=Error(1)',
      'Running ready c#1=running+',
    ],
  },
  'fails if an init container fails for good': {
    spec: { ...job, initContainers: [container('init')] },
    stages: [stage({ transition: 'Exit', containers: ['init'], failure: { exitCode: 2 } })],
    lines: [
      'Pending unready init=PodInitializing c=PodInitializing',
      'Pending unready init=PodInitializing c=PodInitializing',
      'Pending unready init=running c=PodInitializing',
      'Failed unready init=Error(2) c=PodInitializing',
    ],
  },
  'waits for an image that cannot be pulled, and pulls it again': {
    stages: [stage({ transition: 'Pull', failure: { times: 1 } })],
    lines: [
      ...starts,
      'Pending unready c=ErrImagePull',
      'Pending unready c=ImagePullBackOff',
      'Running ready c=running+',
    ],
  },
  'has a container that does not start': {
    spec: job,
    stages: [stage({ transition: 'Start', failure: { reason: 'StartError', exitCode: 127 } })],
    lines: [...starts, 'Failed unready c=StartError(127)'],
  },
  'never becomes ready if a stage holds it': {
    stages: [stage({ transition: 'Readiness', hold: true })],
    lines: [...starts, 'Running unready c=running'],
  },
  'has a stage for one of its containers': {
    spec: { ...two, restartPolicy: 'Never' },
    stages: [
      stage({ transition: 'Exit', containers: ['b'], failure: { exitCode: 137, reason: 'OOMKilled' } }),
    ],
    lines: [
      'Pending unready a=ContainerCreating b=ContainerCreating',
      'Pending unready a=ContainerCreating b=ContainerCreating',
      'Running ready a=running+ b=running+',
      'Failed unready a=Completed(0) b=OOMKilled(137)',
    ],
  },
  'fails after its deadline': {
    spec: { activeDeadlineSeconds: 5 },
    lines: [...starts, 'Running ready c=running+', 'Failed unready c=Error(137)'],
  },
};

describe('a Pod', () => {
  it.each(Object.entries(cases))('%s', (_, { spec = {}, lines, ...options }) => {
    expect(live(podWith(spec), options).lines).toEqual(lines);
  });

  it('is unchanged by stages that match others', () => {
    const selector = { matchLabels: { app: 'other' } };
    const stages = [stage({ transition: 'Readiness', hold: true, selector })];
    expect(live(podWith({}), { stages }).lines.at(-1)).toBe('Running ready c=running+');
  });

  it('has events as a kubelet records them', () => {
    const stages = [stage({ transition: 'Pull', failure: { times: 1, message: 'no such host' } })];
    expect(live(podWith({}), { stages }).events).toEqual([
      'Pulling Pulling image "nginx"',
      'Failed Failed to pull image "nginx": no such host',
      'Failed Error: ErrImagePull',
      'BackOff Back-off pulling image "nginx"',
      'Pulled Container image "nginx" already present on machine',
      'Created Container created',
      'Started Container started',
    ]);
  });

  it('is ready when its readiness gates are', () => {
    const pod = podWith({ readinessGates: [{ conditionType: 'example.com/open' }] });
    const open = (one: Pod) =>
      void (one.status = {
        ...one.status,
        conditions: [
          ...(one.status?.conditions ?? []),
          { type: 'example.com/open', status: 'True', lastTransitionTime: null },
        ],
      });
    const { lines, status } = live(pod, { at: { 5000: open } });
    expect(lines.slice(-2)).toEqual(['Running unready c=running+', 'Running ready c=running+']);
    expect(status.conditions?.map(({ type }) => type)).toContain('example.com/open');
  });

  it('continues from its status in a new process', () => {
    const pod = podWith(job);
    const { status } = live(pod, { untilMs: 100 });
    expect(status.phase).toBe('Running');
    expect(live(pod, {}).lines).toEqual(['Succeeded unready c=Completed(0)']);
  });
});

it('a Pod that its node rejects fails without containers', () => {
  const rejection = { reason: 'OutOfcpu', message: "Node didn't have enough resource: cpu" };
  const { lines, events, status } = live(podWith(job), { rejection });
  expect(lines).toEqual(['Failed unready']);
  expect(events).toEqual([`OutOfcpu ${rejection.message}`]);
  expect(status).toMatchObject({
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu",
  });
  expect(status.containerStatuses).toBeUndefined();
});

describe('a Pod that is deleted', () => {
  const remove = (graceSeconds: number) => ({ 10_000: (pod: Pod) => deletePod(pod, 10_000, graceSeconds) });

  it('ends its containers, and is over', () => {
    const { lines, overAt } = live(podWith({}), { at: remove(30) });
    expect(lines.at(-1)).toBe('Succeeded unready c=Completed(0)');
    expect(overAt).toBeLessThan(11_000);
  });

  it('is killed at the end of its grace period if a stage holds it', () => {
    const { lines, overAt } = live(podWith({}), {
      at: remove(30),
      stages: [stage({ transition: 'Terminate', hold: true })],
    });
    expect(lines.at(-1)).toBe('Failed unready c=Error(137)');
    expect(overAt).toBe(40_000);
  });

  it('ends after its hooks', () => {
    const slow = container('c', { lifecycle: { preStop: { sleep: { seconds: 7 } } } });
    const { overAt } = live(podWith({ containers: [slow] }), { at: remove(30) });
    expect(overAt).toBeGreaterThanOrEqual(17_000);
    expect(overAt).toBeLessThan(18_000);
  });

  it('does not restart containers', () => {
    const stages = [
      stage({ transition: 'Exit', failure: { exitCode: 1 }, delay: { durationMilliseconds: 9_000 } }),
    ];
    expect(live(podWith({}), { stages, at: remove(5) }).overAt).toBeLessThan(16_000);
  });

  it('is over at once if its node did not see it', () => {
    const pod = podWith({});
    deletePod(pod, 0, 30);
    expect(live(pod, {})).toMatchObject({ lines: [], overAt: 0 });
  });
});
