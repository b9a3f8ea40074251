import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { FieldRequirement, LabelRequirement } from '@annex/machinery';
import type { PolicyRule } from './authz/rbac-types.ts';

/** Who makes a request, as `authentication.k8s.io` UserInfo. */
export interface UserInfo {
  name: string;
  uid?: string;
  groups: readonly string[];
  /** Keys are lower case. */
  extra: Readonly<Record<string, readonly string[]>>;
}

/** What authenticators look at. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** Values of repeated headers, in order, names as sent: name, value, name, value … */
  rawHeaders: readonly string[];
  /** The certificate the client proved to own, with its chain; unverified by TLS (any CA is let through the handshake). */
  peerCertificate: PeerCertificate | undefined;
  /** What a request to become a WebSocket offers as protocols: a bearer token may be one of them. */
  webSocketProtocols?: readonly string[];
  /** The path of the request, where there is one. */
  path?: string;
  /** The audiences that a token must be meant for; those of the server, where left out. */
  audiences?: readonly string[];
  /** Where given, gets what each authenticator that was asked made of the credentials. */
  attempts?: Attempt[];
}

/** What one authenticator made of credentials, for the decision trace. */
export interface Attempt {
  authenticator: string;
  /** `passed`: they are not of its kind. */
  outcome: 'authenticated' | 'passed' | 'refused';
  /** Why; never a secret. */
  why?: string;
}

/** The outcome of one authenticator: a user, "not mine" (`undefined`), or a refusal that ends in 401. */
export interface Authenticated {
  user: UserInfo;
  /** Names the authenticator, for the decision trace. */
  by: string;
  /** The audiences that the credential is valid for, where it says. */
  audiences?: readonly string[];
  /** What there is to say of the credential. */
  remarks?: Remarks;
}

/** What is said of a credential that holds and yet should not be used for ever. */
export interface Remarks {
  /** To the client. */
  warnings: readonly string[];
  /** To those who read audit events. */
  annotations: Readonly<Record<string, string>>;
}

export interface Authenticator {
  readonly name: string;
  /** The credentials it looks for, in words that complete "found no …". */
  readonly takes?: string;
  /** Tells a refusal that is nothing unusual: throwing it would cost as much as the rest of the authentication. */
  refusal?(credentials: Credentials): CredentialsError | undefined;
  /** Resolves to `undefined` where the credentials are of another kind; throws {@link CredentialsError} where they are bad. */
  authenticate(credentials: Credentials): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** Credentials of this authenticator's kind that do not hold. Its message is for logs and traces, never for clients. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /** The client certificate is spoken for: later authenticators must not take it for something else. */
  readonly spendsCertificate: boolean;

  constructor(message: string, { spendsCertificate = false } = {}) {
    super(message);
    this.spendsCertificate = spendsCertificate;
  }
}

/** What an authorizer is asked, as the SubjectAccessReview spec. */
export interface Attributes {
  user: UserInfo;
  verb: string;
  resourceRequest: boolean;
  /** Resource requests only. */
  apiGroup: string;
  apiVersion: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** What the selectors of a list, watch or deletecollection require, as far as they can be read; absent for nothing. */
  fieldSelector?: readonly FieldRequirement[];
  labelSelector?: readonly LabelRequirement[];
  /** Non-resource requests only. */
  path: string;
}

export interface Decision {
  decision: 'allow' | 'deny' | 'noOpinion';
  reason: string;
  /** What went wrong on the way, where something did; the decision holds all the same. */
  evaluationError?: string;
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Promise<Decision> | Decision;
  /** The reasons behind an answer, as things are now; for people, not for decisions. */
  explain?(attributes: Attributes): Promise<Explanation[]>;
}

/** What one authorizer answers, and what that rests on. */
export interface Explanation extends Decision {
  authorizer: string;
  /** The rules that allow it; where none does, those that come nearest. */
  rules?: RuleExplanation[];
}

/** A rule that a user has, and what it lacks for what was asked. */
export interface RuleExplanation {
  /** As kube names it: `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. */
  binding: string;
  rule: PolicyRule;
  /** The fields of the rule (or the `namespace` of its binding) that do not fit; empty where it allows. */
  lacks: string[];
}
