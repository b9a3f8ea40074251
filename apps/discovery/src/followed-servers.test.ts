import { nullLogger } from '@annex/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { registration, TestRegistrations } from './discovery.fixture.ts';
import { FollowedServers } from './followed-servers.ts';

it('a change of one APIService visits no other one', () => {
  const registrations = new TestRegistrations();
  registrations.set(registration('v1.local'), registration('v1.a 1/1 a'), registration('v1.b 1/1 b'));
  let visits = 0;
  registrations.all = () => (visits++, registrations.list);
  const requested: string[] = [];
  const servers = new FollowedServers({
    subject: 'versions',
    registrations,
    log: nullLogger,
    ask: ({ metadata }, known: string | undefined) => {
      requested.push(metadata.name ?? '');
      return Promise.resolve(known ?? '');
    },
  });
  onTestFinished(() => servers.stop());
  servers.start();
  const followed = () => [...servers.all()].map(({ registration: { metadata } }) => metadata.name);
  expect([visits, requested, followed()]).toEqual([1, ['v1.a', 'v1.b'], ['v1.a', 'v1.b']]);
  registrations.set(registration('v1.local'), registration('v1.b 2/2 b'), registration('v1.c 1/1 c'));
  expect([visits, requested.slice(2), followed()]).toEqual([1, ['v1.b', 'v1.c'], ['v1.b', 'v1.c']]);
  // An APIService that becomes local has no server.
  registrations.set(registration('v1.b'), registration('v1.c 1/1 c'));
  expect([visits, requested.slice(4), followed()]).toEqual([1, [], ['v1.c']]);
});
