import { type Authorizer, impersonatedUser } from '@annex/auth';
import type { Step } from '../step.ts';
import { note } from '../trace.ts';

/** Takes the identity that `Impersonate-*` headers ask for, where the user may. */
export const impersonate = (authorizer: Authorizer): Step => ({
  name: 'impersonate',
  async run(ctx, next) {
    const { headers } = ctx.req;
    if (!Object.keys(headers).some((name) => name.startsWith('impersonate-'))) return next();
    const user = await impersonatedUser(ctx.req.headers, ctx.user, ctx.info, authorizer);
    if (user !== undefined) {
      ctx.impersonator = ctx.user;
      ctx.user = user;
      note(ctx, `as ${user.name}`);
    }
    for (const name of Object.keys(headers)) if (name.startsWith('impersonate-')) delete headers[name];
    await next();
  },
});
