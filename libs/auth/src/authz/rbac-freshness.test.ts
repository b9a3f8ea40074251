import { expect, it, vi } from 'vitest';
import { createFeed, createMemoryStore, StoreError } from '@annex/storage';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { rbacFreshnessTimeoutMs } from './rbac-freshness.ts';
import { ask, userOf } from './rbac.fixture.ts';

const denied = ask(userOf('alice'), 'get', 'pods', { namespace: 'a' });

it(
  'refuses by the loaded objects while the store does not respond: one request waits, the others do not',
  { timeout: rbacFreshnessTimeoutMs * 10 },
  async () => {
    const store = createMemoryStore();
    const silence = Promise.withResolvers<never>();
    let calls = 0;
    let isSilent = false;
    const currentRevision = () => {
      calls++;
      return isSilent ? silence.promise : store.currentRevision();
    };
    const feed = createFeed(
      new Proxy(store, {
        get(target, name: keyof typeof store) {
          if (name === 'currentRevision') return currentRevision;
          // As of a store that other processes write to.
          if (name === 'revision') return undefined;
          const member = target[name];
          return typeof member === 'function' ? member.bind(target) : member;
        },
      }),
    );
    const authorizer = rbacAuthorizer(feed);
    await authorizer.start();
    isSilent = true;
    expect(await authorizer.authorize(denied)).toMatchObject({ decision: 'noOpinion' });
    const before = calls;
    expect(await authorizer.authorize(denied)).toMatchObject({ decision: 'noOpinion' });
    expect(await authorizer.rulesFor(denied.user, 'a')).toMatchObject({ rules: [] });
    expect(calls).toBe(before);
    isSilent = false;
    silence.reject(new StoreError('unavailable', 'gone'));
    await vi.waitUntil(async () => {
      await authorizer.authorize(denied);
      return calls > before;
    });
    await feed.close();
    await store.close();
  },
);
