import type { Step } from '../step.ts';

/**
 * Removes the identity headers that the client sent, once it is authenticated: nothing after this step can take them
 * for an identity or forward them.
 */
export const dropIdentityHeaders = (names: readonly string[]): Step => ({
  name: 'dropIdentityHeaders',
  run(ctx, next) {
    for (const header of Object.keys(ctx.req.headers)) {
      if (names.some((name) => (name.endsWith('-') ? header.startsWith(name) : header === name))) {
        delete ctx.req.headers[header];
      }
    }
    return next();
  },
});
