import type { RequestContext } from '@annex/kinds';
import { expect, it } from 'vitest';
import { limitInFlight } from './limit-in-flight.ts';

const requestOf = (verb: string, ...groups: string[]): RequestContext =>
  ({
    user: { name: 'a', groups, extra: {} },
    info: { verb, subresource: '' },
    req: { headers: {} },
    path: '/api',
  }) as unknown as RequestContext;

// The limits: --max-requests-inflight and --max-mutating-requests-inflight.
it.each(['get', 'create'])('one %s more than allowed is refused until another one ends', async (verb) => {
  const step = limitInFlight({ reads: 2, changes: 2 });
  const waiting: (() => void)[] = [];
  const hold = () => new Promise<void>((resolve) => waiting.push(resolve));
  const running = [step.run(requestOf(verb), hold), step.run(requestOf(verb), hold)];
  expect(() => step.run(requestOf(verb), hold)).toThrow('Too many requests, please try again later.');
  const asAdministrator = step.run(requestOf(verb, 'system:masters'), hold);
  const ofOtherKind = step.run(requestOf(verb === 'get' ? 'create' : 'get'), hold);
  waiting.forEach((end) => end());
  await Promise.all([...running, asAdministrator, ofOtherKind]);
  let isServed = false;
  void step.run(requestOf(verb), () => void (isServed = true));
  expect(isServed).toBe(true);
});
