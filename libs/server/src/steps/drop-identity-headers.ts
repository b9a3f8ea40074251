import type { Step } from '../step.ts';

/**
 * Removes the identity headers that the client sent, once it is authenticated: nothing after this step can take them
 * for an identity or forward them.
 */
export const dropIdentityHeaders = (names: readonly string[]): Step => {
  const isIdentity = namesTest(names);
  return {
    name: 'dropIdentityHeaders',
    run(ctx, next) {
      const { headers } = ctx.req;
      for (const header in headers) if (isIdentity.test(header)) delete headers[header];
      return next();
    },
  };
};

/** One expression for all names, as each request is asked about all of its headers; what ends in `-` is a prefix. */
function namesTest(names: readonly string[]): RegExp {
  const patterns = names.map((name) => RegExp.escape(name) + (name.endsWith('-') ? '.*' : ''));
  return new RegExp(`^(?:${patterns.join('|')})$`, 's');
}
