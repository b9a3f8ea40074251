import type { IncomingHttpHeaders } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { FieldRequirement, LabelRequirement } from '@annex/machinery';
import type { PolicyRule } from './authz/rbac-types.ts';

/** The user of a request, as `authentication.k8s.io` UserInfo. */
export interface UserInfo {
  name: string;
  uid?: string;
  groups: readonly string[];
  /** Keys are lower case. */
  extra: Readonly<Record<string, readonly string[]>>;
}

/** The input of authenticators. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** Headers in order, with repeated ones and names as sent: name, value, name, value … */
  rawHeaders: readonly string[];
  /**
   * The client certificate and its chain, with proof of the private key; the TLS handshake accepts any CA, so
   * it is unverified.
   */
  peerCertificate: PeerCertificate | undefined;
  /** The protocols that a WebSocket request offers: one of them may be a bearer token. */
  webSocketProtocols?: readonly string[];
  /** The path of the request, if there is one. */
  path?: string;
  /** The audiences that a token must have; default: those of the server. */
  audiences?: readonly string[];
  /** If present, receives the result of each authenticator that ran. */
  attempts?: Attempt[];
}

/** The result of one authenticator, for the decision trace. */
export interface Attempt {
  authenticator: string;
  /** `passed`: the credentials are of another kind. */
  outcome: 'authenticated' | 'passed' | 'refused';
  /** The reason; never a secret. */
  why?: string;
}

/**
 * The authenticated user. Authenticators return `undefined` for other kinds of credentials, and throw to end
 * in 401.
 */
export interface Authenticated {
  user: UserInfo;
  /** The name of the authenticator, for the decision trace. */
  by: string;
  /** The audiences that the credential is valid for, if known. */
  audiences?: readonly string[];
  /** Warnings and annotations on the credential. */
  remarks?: Remarks;
}

/** Remarks on a valid credential that should be replaced. */
export interface Remarks {
  /** Sent to the client as Warning headers. */
  warnings: readonly string[];
  /** Added to audit events. */
  annotations: Readonly<Record<string, string>>;
}

export interface Authenticator {
  readonly name: string;
  /** The credentials it looks for, as a text that completes "found no …". */
  readonly takes?: string;
  /**
   * Returns a common refusal without throwing it: an exception would cost as much as the rest of the
   * authentication.
   */
  refusal?(credentials: Credentials): CredentialsError | undefined;
  /**
   * Resolves to `undefined` for credentials of another kind; throws {@link CredentialsError} for invalid
   * ones.
   */
  authenticate(credentials: Credentials): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/**
 * Invalid credentials of this authenticator's kind. Its message is for logs and traces, never for clients.
 */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
  /** The client certificate is used up: later authenticators must not interpret it differently. */
  readonly spendsCertificate: boolean;

  constructor(message: string, { spendsCertificate = false } = {}) {
    super(message);
    this.spendsCertificate = spendsCertificate;
  }
}

/** The attributes of a request to authorize, as the SubjectAccessReview spec. */
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
  /**
   * The parsed requirements of the selectors of a list, watch or deletecollection; absent if there are none.
   */
  fieldSelector?: readonly FieldRequirement[];
  labelSelector?: readonly LabelRequirement[];
  /** Non-resource requests only. */
  path: string;
}

export interface Decision {
  decision: 'allow' | 'deny' | 'noOpinion';
  reason: string;
  /** An error during the evaluation; the decision is valid nevertheless. */
  evaluationError?: string;
}

export interface Authorizer {
  readonly name: string;
  authorize(attributes: Attributes): Promise<Decision> | Decision;
  /** Explains the current decision, for people and not for authorization. */
  explain?(attributes: Attributes): Promise<Explanation[]>;
}

/** The decision of one authorizer and its basis. */
export interface Explanation extends Decision {
  authorizer: string;
  /** The rules that allow the request; if none does, the closest ones. */
  rules?: RuleExplanation[];
}

/** A rule of a user, and what it lacks to allow the request. */
export interface RuleExplanation {
  /** Formatted as in kube-apiserver: `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. */
  binding: string;
  rule: PolicyRule;
  /** The fields of the rule (or the `namespace` of its binding) that do not match; empty if it allows. */
  lacks: string[];
}
