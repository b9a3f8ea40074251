import { type Authorizer, createImpersonator, type Impersonator } from '@annex/auth';
import { type RequestContext, traceRight } from '@annex/kinds';
import type { Step } from '../step.ts';
import { requestAttributes } from './authorize.ts';

/** Takes the identity that `Impersonate-*` headers ask for, where the user may; nobody after it sees the headers. */
export const impersonate = (authorizer: Authorizer): Step => {
  const impersonator = createImpersonator(authorizer);
  return {
    name: 'impersonate',
    run(ctx, next) {
      const { headers } = ctx.req;
      let sent: string[] | undefined;
      for (const name in headers) if (name.startsWith('impersonate-')) (sent ??= []).push(name);
      return sent === undefined ? next(ctx) : act(impersonator, ctx, sent).then(() => next(ctx));
    },
  };
};

async function act(impersonator: Impersonator, ctx: RequestContext, sent: readonly string[]): Promise<void> {
  const { headers, rawHeaders } = ctx.req;
  const attributes = requestAttributes(ctx.user, ctx.info);
  const impersonated = await impersonator.impersonate(rawHeaders, attributes, (asked, decision) =>
    traceRight(ctx.trace, asked, decision),
  );
  if (impersonated !== undefined) {
    const { user, constraint } = impersonated;
    ctx.impersonator = ctx.user;
    ctx.user = user;
    ctx.trace.impersonated = user;
    ctx.audit?.impersonated(user, constraint);
  }
  for (const name of sent) delete headers[name];
}
