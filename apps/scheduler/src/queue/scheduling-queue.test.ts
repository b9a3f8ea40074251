import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { aNode, aPod, decisions } from '../cycle/decision.fixture.ts';
import { clusterEvent, podEvents } from '../framework/cluster-event.ts';
import { NodeInfo } from '../objects/node-info.ts';
import type { Pod } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import type { QueuedPodInfo } from './queued-pod.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const times = {
  initialBackoffMs: 1_000,
  maxBackoffMs: 10_000,
  maxUnschedulableMs: 300_000,
};

async function aQueue(popsFromBackoff = true) {
  const { profile } = await decisions([aNode('n1')]);
  const clock = new FakeClock();
  const queue = new SchedulingQueue(new Map([['default-scheduler', profile]]), {
    clock,
    times: { ...times, popsFromBackoff },
    metrics: { incoming: () => undefined, refusedBy: () => undefined },
  });
  const add = (pod: Pod) => queue.add(new PodInfo(pod));
  const refuse = (queued: QueuedPodInfo | undefined, ...plugins: string[]) => {
    if (queued === undefined) throw new Error('nothing to refuse');
    queued.rejectors = new Set(plugins);
    queue.addFailed(queued);
  };
  return { clock, queue, add, refuse, next: () => queue.pop()?.info.name };
}

const infoOf = (node: ReturnType<typeof aNode>) => {
  const info = new NodeInfo(node.metadata.name ?? '');
  info.setNode(node);
  return info;
};

it('higher priorities come first, then the older', async () => {
  const { add, clock, next } = await aQueue();
  for (const [name, priority] of [
    ['a', 0],
    ['b', 10],
    ['c', 10],
  ] as const) {
    add(aPod(name, { priority }));
    await clock.advance(5);
  }
  expect([next(), next(), next(), next()]).toEqual(['b', 'c', 'a', undefined]);
});

it('a gated Pod waits until its gates are gone', async () => {
  const { queue, next } = await aQueue();
  const gated = aPod('p', { schedulingGates: [{ name: 'g' }] });
  queue.add(new PodInfo(gated));
  expect(next()).toBeUndefined();
  expect(queue.sizes.gated).toBe(1);
  queue.update(new PodInfo(gated), new PodInfo({ ...gated, spec: { ...gated.spec, schedulingGates: [] } }));
  expect(next()).toBe('p');
});

it('a refused Pod returns on an event that its plugin registered and whose hint agrees', async () => {
  const { add, queue, refuse, next } = await aQueue();
  add(aPod('p', { requests: { cpu: '5' } }));
  refuse(queue.pop(), 'NodeResourcesFit');
  queue.moveAll([{ event: clusterEvent('Node', 'Add'), after: infoOf(aNode('small')) }]);
  queue.moveAll([{ event: clusterEvent('PersistentVolume', 'Add'), after: {} }]);
  expect(next()).toBeUndefined();
  queue.moveAll([
    {
      event: clusterEvent('Node', 'Add'),
      after: infoOf(aNode('large', { allocatable: { cpu: '9' } })),
    },
  ]);
  expect(next()).toBe('p');
});

it('a Pod that backs off after a refusal is taken early if no other waits', async () => {
  const { add, queue, refuse, next } = await aQueue();
  add(aPod('p', { requests: { cpu: '1' } }));
  refuse(queue.pop(), 'NodeResourcesFit');
  queue.moveAll([{ event: podEvents.assignedDelete, before: new PodInfo(aPod('q', { nodeName: 'n1' })) }]);
  expect(queue.sizes.backoff + queue.sizes.active).toBe(1);
  expect(next()).toBe('p');
});

it('without SchedulerPopFromBackoffQ, it waits for the end of its backoff', async () => {
  const { add, clock, queue, refuse, next } = await aQueue(false);
  add(aPod('p', { requests: { cpu: '1' } }));
  refuse(queue.pop(), 'NodeResourcesFit');
  queue.moveAll([{ event: podEvents.assignedDelete, before: new PodInfo(aPod('q', { nodeName: 'n1' })) }]);
  expect(next()).toBeUndefined();
  const woken = queue.wait();
  await clock.advance(1_000);
  await woken;
  expect(next()).toBe('p');
});

it('a Pod that backs off after an error is not', async () => {
  const { add, clock, queue, refuse, next } = await aQueue();
  add(aPod('p'));
  refuse(queue.pop());
  expect(queue.sizes.backoff).toBe(1);
  expect(next()).toBeUndefined();
  await clock.advance(1_000);
  expect(next()).toBe('p');
});

it('a Pod that waits for long is tried again', async () => {
  const { add, clock, queue, refuse, next } = await aQueue();
  add(aPod('p'));
  refuse(queue.pop(), 'NodeName');
  await clock.advance(299_000);
  expect(next()).toBeUndefined();
  await clock.advance(61_000);
  expect(next()).toBe('p');
});

it('a deleted Pod is in no queue', async () => {
  const { add, queue, next } = await aQueue();
  const pod = aPod('p');
  add(pod);
  queue.delete(new PodInfo(pod));
  expect(next()).toBeUndefined();
});
