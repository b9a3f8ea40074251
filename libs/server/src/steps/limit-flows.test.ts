import { FlowControl } from '@annex/flow-control';
import type { RequestContext } from '@annex/kinds';
import { Query, type StatusError } from '@annex/machinery';
import { createMetrics } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { beforeEach, expect, it } from 'vitest';
import { limitFlows } from './limit-flows.ts';

let clock: FakeClock;
let flows: FlowControl;
let ends: (() => void)[];

beforeEach(() => {
  clock = new FakeClock();
  ends = [];
  flows = new FlowControl({
    clock,
    metrics: createMetrics(),
    seats: 1,
    facts: { stored: () => undefined, watches: () => 0 },
  });
  const level = {
    nominalConcurrencyShares: 100,
    limitResponse: { type: 'Queue' as const, queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
  };
  const rules = [
    {
      subjects: [{ kind: 'User', user: { name: 'jane' } }],
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true }],
    },
  ];
  flows.configure(
    [
      {
        name: 's',
        uid: 'schema-uid',
        spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 2, rules },
      },
    ],
    [{ name: 'l', uid: 'level-uid', spec: { type: 'Limited', limited: level } }],
  );
});

function requestOf(verb = 'get', subresource = ''): RequestContext {
  const info = {
    isResourceRequest: true,
    path: '/',
    verb,
    subresource,
    namespace: '',
    resource: 'pods',
    apiGroup: '',
    name: '',
  };
  return {
    user: { name: 'jane', groups: [], extra: {} },
    info,
    req: { headers: {} },
    path: '/api/v1/pods',
    query: Query.none,
    signal: new AbortController().signal,
  } as unknown as RequestContext;
}

const hold = () => new Promise<void>((resolve) => ends.push(resolve));
const step = () => limitFlows(flows, 40_000);
const run = (request = requestOf()) => step().run(request, hold);

it('a request waits for the seat of another one, and names its schema and level', async () => {
  const first = requestOf();
  const running = [run(first), run()];
  expect(ends).toHaveLength(1);
  expect(first.flowHeaders).toEqual({
    'X-Kubernetes-Pf-Flowschema-Uid': 'schema-uid',
    'X-Kubernetes-Pf-Prioritylevel-Uid': 'level-uid',
  });
  ends[0]!();
  await running[0];
  await clock.advance(0);
  expect(ends).toHaveLength(2);
  ends[1]!();
  await Promise.all(running);
});

it('a full queue is 429 with Retry-After', () => {
  void run();
  void run();
  const refused = (): StatusError => {
    try {
      void run();
    } catch (error) {
      return error as StatusError;
    }
    throw new Error('it is not refused');
  };
  expect(refused()).toMatchObject({
    status: { code: 429, reason: 'TooManyRequests' },
    headers: { 'Retry-After': '1' },
  });
});

// Without a timeout: maxQueuedMs.
it('a request waits for at most a quarter of its timeout', async () => {
  void run();
  const waiting = expect(run()).rejects.toThrow('Too many requests, please try again later.');
  await clock.advance(9_999);
  expect(flows.levels.find(({ name }) => name === 'l')?.queues.waiting).toBe(1);
  await clock.advance(1);
  await waiting;
});

it('a watch returns its seat when it has begun', () => {
  const watch = requestOf('watch');
  void run(watch);
  watch.onBegun?.();
  void run();
  expect(ends).toHaveLength(2);
});

it('an error returns the seat', () => {
  const failing = () => {
    throw new Error('no');
  };
  expect(() => step().run(requestOf(), failing)).toThrow('no');
  void run();
  expect(ends).toHaveLength(1);
});

it('a stream has no seat', () => {
  void run(requestOf('get', 'log'));
  void run();
  expect(ends).toHaveLength(2);
});
