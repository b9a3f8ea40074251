import { goQuote } from '@annex/machinery';
import {
  type Attributes,
  type Authorizer,
  type Decision,
  forbiddenStatus,
  sanitized,
  type UserInfo,
} from '@annex/auth';
import { atOnce } from '@annex/runtime';
import type { RequestAudit } from '@annex/audit';
import type { RequestContext, RequestInfo } from '@annex/kinds';
import { readSelectors } from '../queries/selector-requirements.ts';
import { sendText } from '../respond.ts';
import type { Step } from '../step.ts';

/** Asks whether the user may do what the request asks for; if not, 403 with kube's text. */
export const authorize = (authorizer: Authorizer): Step => ({
  name: 'authorize',
  run(ctx, next) {
    const attributes = requestAttributes(ctx.user, ctx.info);
    const decide = (decision: Decision): Promise<void> | void => {
      ctx.trace.attributes = attributes;
      ctx.trace.decision = decision;
      if (ctx.audit) noteDecision(ctx.audit, decision);
      if (decision.decision === 'allow') return next(ctx);
      // A refusal that rests on a failure is none: kube-apiserver has an answer of its own for it.
      if (decision.evaluationError) return fail(ctx, decision.evaluationError);
      throw forbiddenStatus(attributes, decision.reason);
    };
    return atOnce(authorizer.authorize(attributes), decide);
  },
});

function fail(ctx: RequestContext, why: string): void {
  const text = `Internal Server Error: ${goQuote(ctx.req.url ?? '')}: ${why}`;
  sendText(ctx, 500, `${sanitized(text)}\n`);
}

function noteDecision(audit: RequestAudit, { decision, reason, evaluationError }: Decision): void {
  if (decision !== 'allow' && evaluationError) {
    audit.annotate('authorization.k8s.io/reason', 'internal error');
    return;
  }
  audit.annotate('authorization.k8s.io/decision', decision === 'allow' ? 'allow' : 'forbid');
  audit.annotate('authorization.k8s.io/reason', reason);
}

/** The attributes of a request, as an authorizer is asked. */
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
