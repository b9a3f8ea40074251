import { type Authorizer, forbiddenMessage } from '@annex/auth';
import type { RequestContext } from '@annex/kinds';
import type { Step } from '../step.ts';
import { tracesPath } from '../trace/traces-path.ts';

/** The header with which a client asks for the trace of its request, and in which it gets it. */
const traceHeader = 'annex-trace';

/** Lets a client that asks by header see what is decided about its request, where it may read all traces. */
export const authorizeTrace = (authorizer: Authorizer): Step => ({
  name: 'authorizeTrace',
  run(request, next) {
    return request.req.headers[traceHeader] === undefined
      ? next(request)
      : ask(authorizer, request).then(() => next(request));
  },
});

async function ask(authorizer: Authorizer, request: RequestContext): Promise<void> {
  // Whoever it is forwarded to has a trace of its own.
  delete request.req.headers[traceHeader];
  // Who acts for another sees what it may see itself.
  const user = request.impersonator ?? request.user;
  const requested = {
    user,
    verb: 'get',
    resourceRequest: false,
    apiGroup: '',
    apiVersion: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: tracesPath,
  };
  const { decision, reason } = await authorizer.authorize(requested);
  request.trace.wanted = true;
  if (decision !== 'allow') request.trace.withheld = forbiddenMessage(requested, reason);
}
