import { type Authorizer, forbiddenMessage } from '@annex/auth';
import type { RequestContext } from '@annex/kinds';
import type { Step } from '../step.ts';
import { tracesPath } from '../trace/traces-path.ts';

/**
 * The header with which a client requests the trace of its request, and that contains the trace in the
 * response.
 */
const traceHeader = 'annex-trace';

/**
 * Sends the client the trace of its request if it requests one by header and is authorized to read all
 * traces.
 */
export const authorizeTrace = (authorizer: Authorizer): Step => ({
  name: 'authorizeTrace',
  run(request, next) {
    return request.req.headers[traceHeader] === undefined
      ? next(request)
      : ask(authorizer, request).then(() => next(request));
  },
});

async function ask(authorizer: Authorizer, request: RequestContext): Promise<void> {
  // A server that the request is forwarded to has a separate trace.
  delete request.req.headers[traceHeader];
  // For an impersonated request, the permissions of the impersonator apply.
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
  request.trace.requested = true;
  if (decision !== 'allow') request.trace.withheld = forbiddenMessage(requested, reason);
}
