import type { Attempt, Attributes, Authorizer, Decision, Explanation, UserInfo } from '@annex/auth';
import { type CertificateView, certificateView } from './certificate-view.ts';
import type { AdmissionCall, DecisionTrace, ReviewTrace } from '@annex/kinds';
import { type ForwardView, forwardView } from './forward-view.ts';

/** A {@link DecisionTrace} in the response of `GET /annex/traces`. */
export interface TraceView {
  auditID: string;
  /** RFC 3339, with milliseconds. */
  receivedAt: string;
  /** Absent while the request runs. */
  durationMs?: number;
  request: { method: string; url: string; protocol: string; sourceIP?: string; userAgent?: string };
  /** `reason` and `message` of an error Status; messages that may quote the request body are omitted. */
  response?: { code: number; reason?: string; message?: string };
  authentication: { presented: PresentedView; attempts: readonly Attempt[]; user?: UserInfo };
  /** Without a user if impersonation was denied. */
  impersonation?: { user?: UserInfo; rights: readonly AuthorizationView[] };
  authorization?: AuthorizationView;
  admission?: readonly AdmissionCall[];
  forward?: ForwardView;
  review?: { requested: AttributesView; decision: Decision };
  remarks?: readonly string[];
  /** `atMs`: milliseconds after the request was received. `ms`: duration until the next step. */
  steps: { step: string; atMs: number; ms: number }[];
  /** SubjectAccessReviews that an extension API server sent for this request. */
  reviews?: TraceView[];
  /** The same request in other processes. */
  elsewhere?: TraceView[];
}

/** The credentials of a request. */
export interface PresentedView {
  certificate?: CertificateView;
  /** The scheme of the `Authorization` header. */
  authorization?: string;
}

/** The attributes of an authorization, and the decision. */
export interface AuthorizationView {
  requested: AttributesView;
  decision: Decision['decision'];
  reason: string;
  /** The results of each authorizer with the current rules. */
  explanations?: Explanation[];
}

/** The attributes of an authorization; only those that are set. */
export type AttributesView = { user: string; verb: string } & Partial<
  Record<'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name' | 'path', string>
>;

/** Returns a trace with the explanations of its authorization. */
export async function traceView(trace: DecisionTrace, authorizer: Authorizer): Promise<TraceView> {
  const view = briefView(trace);
  const { attributes, impersonationRights = [] } = trace;
  const explained = async (right: AuthorizationView, attributes: Attributes): Promise<AuthorizationView> => {
    const explanations = await authorizer.explain?.(attributes);
    return { ...right, ...(explanations ? { explanations } : {}) };
  };
  const { authorization, impersonation } = view;
  const rights = impersonation?.rights.map((right, i) =>
    explained(right, impersonationRights[i]!.attributes),
  );
  return {
    ...view,
    ...(impersonation && rights
      ? { impersonation: { ...impersonation, rights: await Promise.all(rights) } }
      : {}),
    ...(authorization && attributes ? { authorization: await explained(authorization, attributes) } : {}),
  };
}

/** Returns a trace without explanations. */
export function briefView(trace: DecisionTrace): TraceView {
  const { address, protocol, userAgent } = trace.client;
  const { admission, attributes, code, decision, forward, ms, refusal, remarks, review, user } = trace;
  return {
    auditID: trace.auditId,
    receivedAt: new Date(trace.receivedAt).toISOString(),
    ...(ms === undefined ? {} : { durationMs: rounded(ms) }),
    request: {
      method: trace.method,
      url: trace.url,
      protocol: `HTTP/${protocol}`,
      ...(address ? { sourceIP: address.replace(/^::ffff:/, '') } : {}),
      ...(userAgent ? { userAgent } : {}),
    },
    ...(code === undefined ? {} : { response: { code, ...refusal } }),
    authentication: {
      presented: presentedView(trace),
      attempts: trace.attempts,
      ...(user ? { user } : {}),
    },
    ...impersonationView(trace),
    ...(attributes && decision ? { authorization: rightView({ attributes, decision }) } : {}),
    ...(admission ? { admission: admission.map(roundedCall) } : {}),
    ...(forward ? { forward: roundedCall(forwardView(forward)) } : {}),
    ...(review
      ? { review: { requested: attributesView(review.attributes), decision: review.decision } }
      : {}),
    ...(remarks.length > 0 ? { remarks } : {}),
    steps: stepsOf(trace),
  };
}

function impersonationView({ impersonated, impersonationRights: rights }: DecisionTrace) {
  if (rights === undefined) return {};
  const user = impersonated ? { user: impersonated } : {};
  return { impersonation: { ...user, rights: rights.map(rightView) } };
}

const rightView = ({ attributes, decision: { decision, reason } }: ReviewTrace): AuthorizationView => ({
  requested: attributesView(attributes),
  decision,
  reason,
});

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

const roundedCall = <T extends { ms?: number }>(call: T): T =>
  call.ms === undefined ? call : { ...call, ms: rounded(call.ms) };

function stepsOf({ ms, startedAt, steps, times }: DecisionTrace): TraceView['steps'] {
  return steps.map((step, i) => {
    const at = times[i] as number;
    const next = times[i + 1] ?? (ms === undefined ? at : startedAt + ms);
    return { step, atMs: rounded(at - startedAt), ms: rounded(next - at) };
  });
}

function presentedView({ presented }: DecisionTrace): PresentedView {
  const { certificate, scheme } = presented ?? {};
  return {
    ...(certificate === undefined ? {} : { certificate: certificateView(certificate) }),
    ...(scheme === undefined ? {} : { authorization: scheme }),
  };
}

/** Returns the attributes that are not empty. */
function attributesView(requested: Attributes): AttributesView {
  const { user, verb, apiGroup, apiVersion, resource, subresource, namespace, name, path } = requested;
  const fields = requested.resourceRequest
    ? { group: apiGroup, version: apiVersion, resource, subresource, namespace, name }
    : { path };
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
  return { user: user.name, verb, ...set };
}
