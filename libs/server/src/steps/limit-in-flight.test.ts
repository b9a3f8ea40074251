import type { RequestContext } from '@annex/kinds';
import { expect, it } from 'vitest';
import { limitInFlight } from './limit-in-flight.ts';

const requestOf = (...groups: string[]): RequestContext =>
  ({
    user: { name: 'a', groups, extra: {} },
    info: { verb: 'get', subresource: '' },
    req: { headers: {} },
    path: '/api',
  }) as unknown as RequestContext;

// The limit: --max-requests-inflight.
it('one request more than allowed is refused until another one ends', async () => {
  const step = limitInFlight(2);
  const waiting: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => waiting.push(resolve));
  const running = [step.run(requestOf(), hold), step.run(requestOf(), hold)];
  expect(() => step.run(requestOf(), hold)).toThrow('Too many requests, please try again later.');
  const asAdministrator = step.run(requestOf('system:masters'), hold);
  waiting.forEach((end) => end());
  await Promise.all([...running, asAdministrator]);
  let isServed = false;
  void step.run(requestOf(), () => void (isServed = true));
  expect(isServed).toBe(true);
});
