import { type Authorizer, createImpersonator } from '@annex/auth';
import type { Step } from '../step.ts';
import { requestAttributes } from './authorize.ts';

/** Takes the identity that `Impersonate-*` headers ask for, where the user may; nobody after it sees the headers. */
export const impersonate = (authorizer: Authorizer): Step => {
  const impersonator = createImpersonator(authorizer);
  return {
    name: 'impersonate',
    async run(ctx, next) {
      const { headers, rawHeaders } = ctx.req;
      const sent = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
      if (sent.length === 0) return next();
      const impersonated = await impersonator.impersonate(rawHeaders, requestAttributes(ctx.user, ctx.info));
      if (impersonated !== undefined) {
        const { user, constraint } = impersonated;
        ctx.impersonator = ctx.user;
        ctx.user = user;
        ctx.trace.impersonated = user;
        ctx.audit?.impersonated(user, constraint);
      }
      for (const name of sent) delete headers[name];
      await next();
    },
  };
};
