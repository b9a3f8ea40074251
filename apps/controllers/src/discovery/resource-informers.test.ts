import type { Informer } from '@annex/client';
import { FakeClock } from '@annex/testkit';
import { expect, test } from 'vitest';
import type { Api } from '../api.ts';
import type { ServedResources } from './served-resources.ts';
import type { ApiResource } from './resource-discovery.ts';
import { ResourceInformers } from './resource-informers.ts';

const things = (i: number) =>
  ({
    resource: { group: 'g', version: 'v1', resource: `things${i}`, kind: 'Thing' } as ApiResource,
  }) as const;

/** Informers that list when the test says so. */
function setUp() {
  const started: string[] = [];
  const stopped: string[] = [];
  const lists = new Map<string, () => void>();
  const api = {
    informer: (path: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      lists.set(path, resolve);
      const name = path.split('/').at(-1) ?? '';
      const start = () => {
        started.push(name);
        return promise;
      };
      const stop = async () => void stopped.push(name);
      return { start, stop, list: () => [] } as unknown as Informer;
    },
  } as unknown as Api;
  const clock = new FakeClock();
  const served = { first: Promise.resolve() } as unknown as ServedResources;
  const informers = new ResourceInformers<{ resource: ApiResource }>({ api, clock, served });
  const follow = (count: number) => {
    for (let i = 0; i < count; i++) informers.start(things(i), {}, {});
  };
  const list = (name: string) => {
    for (const [path, resolve] of lists) if (path.endsWith(`/${name}`)) resolve();
  };
  return { clock, informers, started, stopped, follow, list };
}

/** Resolves when all that can run now has run. */
const idle = () => new Promise<void>((resolve) => void setImmediate(resolve));
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `things${from + i}`);

test('sixteen informers read their first lists at once, and the next one starts when one has read it', async () => {
  const { informers, started, follow, list } = setUp();
  follow(40);
  await idle();
  expect(started).toEqual(names(0, 16));
  list('things3');
  list('things9');
  await idle();
  expect(started).toEqual(names(0, 18));
  for (const name of names(0, 40)) list(name);
  await informers.settled();
  expect(started).toEqual(names(0, 40));
});

test('informers whose servers do not respond delay the others by a second', async () => {
  const { clock, started, follow } = setUp();
  follow(20);
  await idle();
  await clock.advance(1000);
  await idle();
  expect(started).toEqual(names(0, 20));
});

test('informers that end before they may start are not started', async () => {
  const { informers, started, stopped, follow, list } = setUp();
  follow(20);
  await idle();
  await informers.keep(({ resource }) => resource.resource !== 'things17');
  for (const name of names(0, 20)) list(name);
  await informers.settled();
  expect(started).toEqual(names(0, 20).filter((name) => name !== 'things17'));
  expect(stopped).toEqual(['things17']);
});

test('nothing starts after the end', async () => {
  const { informers, started, follow, list } = setUp();
  follow(20);
  await idle();
  await informers.stop();
  for (const name of names(0, 20)) list(name);
  await informers.settled();
  expect(started).toEqual(names(0, 16));
});
