import { goQuote } from '@annex/machinery';
import {
  type Attributes,
  type Authorizer,
  type Decision,
  forbiddenStatus,
  sanitized,
  type UserInfo,
} from '@annex/auth';
import { mapMaybePromise } from '@annex/runtime';
import type { RequestAudit } from '@annex/audit';
import type { RequestContext, RequestInfo } from '@annex/kinds';
import { readSelectors } from '../queries/selector-requirements.ts';
import { sendText } from '../respond.ts';
import type { Step } from '../step.ts';

/** Authorizes the request. Throws 403 with kube-apiserver's message. */
export const authorize = (authorizer: Authorizer): Step => ({
  name: 'authorize',
  run(request, next) {
    const attributes = requestAttributes(request.user, request.info);
    const decide = (decision: Decision): Promise<void> | void => {
      request.trace.attributes = attributes;
      request.trace.decision = decision;
      if (request.audit) noteDecision(request.audit, decision);
      if (decision.decision === 'allow') return next(request);
      // An evaluation error is not a denial: kube-apiserver sends 500.
      if (decision.evaluationError) return fail(request, decision.evaluationError);
      throw forbiddenStatus(attributes, decision.reason);
    };
    return mapMaybePromise(authorizer.authorize(attributes), decide);
  },
});

function fail(request: RequestContext, why: string): void {
  const text = `Internal Server Error: ${goQuote(request.req.url ?? '')}: ${why}`;
  sendText(request, 500, `${sanitized(text)}\n`);
}

function noteDecision(audit: RequestAudit, { decision, reason, evaluationError }: Decision): void {
  if (decision !== 'allow' && evaluationError) {
    audit.annotate('authorization.k8s.io/reason', 'internal error');
    return;
  }
  audit.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  audit.annotate('authorization.k8s.io/reason', reason);
}

/** Returns the authorization attributes of a request. */
export const requestAttributes = (user: UserInfo, info: RequestInfo): Attributes => ({
  user,
  verb: info.verb,
  resourceRequest: info.isResourceRequest,
  apiGroup: info.apiGroup,
  apiVersion: info.apiVersion,
  resource: info.resource,
  subresource: info.subresource,
  namespace: info.namespace,
  name: info.name,
  ...(info.fieldSelector === '' && info.labelSelector === '' ? {} : readSelectors(info)),
  path: info.path,
});
