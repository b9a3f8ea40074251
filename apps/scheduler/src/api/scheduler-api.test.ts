import type { Client, ClientRequest } from '@annex/client';
import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { PodInfo } from '../objects/pod-info.ts';
import type { RateLimitConfig } from './rate-limit.ts';
import { SchedulerApi } from './scheduler-api.ts';

const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no' };
const podNamed = (name: string): PodInfo =>
  new PodInfo({
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { containers: [] },
  } as never);

/** Returns an API, the paths of its requests, and how to respond to the next one. */
function held(limit?: RateLimitConfig, mayWrite?: () => boolean) {
  const paths: string[] = [];
  const waiting: PromiseWithResolvers<object>[] = [];
  const json = ({ path }: ClientRequest) => {
    paths.push(path.split('/').slice(6).join('/'));
    const response = Promise.withResolvers<object>();
    waiting.push(response);
    return response.promise;
  };
  const clock = new FakeClock();
  const client = { json } as unknown as Client;
  const api = new SchedulerApi(client, clock, new AbortController().signal, {
    limit,
    ...(mayWrite === undefined ? {} : { mayWrite }),
  });
  return { api, clock, paths, next: () => waiting.shift()! };
}

it('a Pod is bound after its condition was written, and other Pods at once', async () => {
  const { api, paths, next } = held();
  const written = api.patchStatus(podNamed('a'), { condition });
  const bound = api.bind(podNamed('a'), 'n');
  void api.bind(podNamed('b'), 'n');
  expect(paths).toEqual(['a/status', 'b/binding']);
  next().resolve({});
  await written;
  next().resolve({});
  await expect.poll(() => paths).toEqual(['a/status', 'b/binding', 'a/binding']);
  next().resolve({});
  await bound;
});

it('a Pod is bound also if its condition cannot be written', async () => {
  const { api, paths, next } = held();
  const written = api.patchStatus(podNamed('a'), { condition });
  const bound = api.bind(podNamed('a'), 'n');
  next().reject(new Error('no'));
  await expect(written).rejects.toThrow('no');
  await expect.poll(() => paths).toEqual(['a/status', 'a/binding']);
  next().resolve({});
  await bound;
});

it('changes of Pods wait for their turn if the rate is limited', async () => {
  const { api, clock, paths } = held({ qps: 1, burst: 1 });
  void api.bind(podNamed('a'), 'n');
  void api.bind(podNamed('b'), 'n');
  void api.deletePod(podNamed('c'));
  await clock.advance(0);
  expect(paths).toEqual(['a/binding']);
  await clock.advance(2_000);
  expect(paths).toEqual(['a/binding', 'b/binding', 'c']);
});

it('nothing is written after the lease expired, also not what waited', async () => {
  let mayWrite = true;
  const { api, paths, next } = held(undefined, () => mayWrite);
  const written = api.patchStatus(podNamed('a'), { condition });
  const bound = api.bind(podNamed('a'), 'n');
  bound.catch(() => undefined);
  mayWrite = false;
  next().resolve({});
  await written;
  await expect(bound).rejects.toThrow('the lease has expired');
  await expect(api.bind(podNamed('b'), 'n')).rejects.toThrow('the lease has expired');
  await expect(api.deletePod(podNamed('b'))).rejects.toThrow('the lease has expired');
  expect(paths).toEqual(['a/status']);
});
