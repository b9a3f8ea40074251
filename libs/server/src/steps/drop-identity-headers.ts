import { headerNameTest } from '@annex/http';
import type { Step } from '../step.ts';

/**
 * Removes the identity headers that the client sent, after authentication: no later step can trust or forward
 * them.
 */
export const dropIdentityHeaders = (names: readonly string[]): Step => {
  const isPrefix = (name: string) => name.endsWith('-');
  const isIdentity = headerNameTest(
    names.filter((name) => !isPrefix(name)),
    names.filter(isPrefix),
  );
  return {
    name: 'dropIdentityHeaders',
    run(request, next) {
      const { headers } = request.req;
      for (const header in headers) if (isIdentity.test(header)) delete headers[header];
      return next(request);
    },
  };
};
