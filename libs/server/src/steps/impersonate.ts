import { type Authorizer, createImpersonator, type Impersonator } from '@annex/auth';
import { type RequestContext, traceRight } from '@annex/kinds';
import type { Step } from '../step.ts';
import { requestAttributes } from './authorize.ts';

/**
 * Changes to the user of the `Impersonate-*` headers if the authenticated user has the permission, and
 * removes these headers.
 */
export const impersonate = (authorizer: Authorizer): Step => {
  const impersonator = createImpersonator(authorizer);
  return {
    name: 'impersonate',
    run(request, next) {
      const { headers } = request.req;
      let sent: string[] | undefined;
      for (const name in headers) if (name.startsWith('impersonate-')) (sent ??= []).push(name);
      return sent === undefined ? next(request) : act(impersonator, request, sent).then(() => next(request));
    },
  };
};

async function act(
  impersonator: Impersonator,
  request: RequestContext,
  sent: readonly string[],
): Promise<void> {
  const { headers, rawHeaders } = request.req;
  const attributes = requestAttributes(request.user, request.info);
  const impersonated = await impersonator.impersonate(rawHeaders, attributes, (requested, decision) =>
    traceRight(request.trace, requested, decision),
  );
  if (impersonated !== undefined) {
    const { user, constraint } = impersonated;
    request.impersonator = request.user;
    request.user = user;
    request.trace.impersonated = user;
    request.audit?.impersonated(user, constraint);
  }
  for (const name of sent) delete headers[name];
}
