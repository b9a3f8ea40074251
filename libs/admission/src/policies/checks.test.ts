import type { Authorizer } from '@annex/auth';
import type { RequestContext } from '@annex/kinds';
import { expect, it } from 'vitest';
import { withChecks } from './checks.ts';

const authorizer: Authorizer = { name: 'none', authorize: () => ({ decision: 'noOpinion', reason: '' }) };

it('other requests are served between many short evaluations', async () => {
  const request = { signal: new AbortController().signal } as RequestContext;
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  for (const end = performance.now() + 30_000; turns < 2 && performance.now() < end;) {
    // oxlint-disable-next-line require-yield
    await withChecks(authorizer, request, function* () {
      return true;
    });
  }
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);
});
