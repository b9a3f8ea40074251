import type { PeerCertificate } from 'node:tls';
import type { Status } from '@annex/machinery';
import type { Attempt, Attributes, Decision, UserInfo } from '@annex/auth';
import type { Endpoint, HeaderList, HttpRequest, Transport } from '@annex/http';

/**
 * The decisions about one request, which the steps record as they run. Contains no secrets. Objects are
 * stored unchanged and formatted only for a reader, see {@link traceView}.
 */
export interface DecisionTrace {
  auditId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly method: string;
  /** Path and query as sent. */
  url: string;
  readonly client: { address: string | undefined; protocol: string; userAgent: string | undefined };
  /** The names of the started steps, in order. */
  readonly steps: string[];
  /** The start of each step, in milliseconds of `performance.now()`. */
  readonly times: number[];
  readonly startedAt: number;
  /** The status code, after the response is complete. */
  code?: number;
  ms?: number;
  /**
   * The Status of an error response. Messages may quote the request: only those that contain just names are
   * kept.
   */
  refusal?: { reason: string; message?: string };
  presented?: Presented;
  /** The result of each authenticator, in order. */
  readonly attempts: Attempt[];
  /** Further remarks of the steps, in order. */
  readonly remarks: string[];
  user?: UserInfo;
  /** The authorizations for impersonation, as far as they were evaluated. */
  impersonationRights?: ReviewTrace[];
  impersonated?: UserInfo;
  attributes?: Attributes;
  decision?: Decision;
  admission?: AdmissionCall[];
  forward?: ForwardTrace;
  /** Set if the request is a SubjectAccessReview or similar: its attributes and decision. */
  review?: ReviewTrace;
  /** The client requested the trace with a header. */
  requested?: boolean;
  /** The reason why the client does not receive the trace. */
  withheld?: string;
}

/** The kinds of credentials of a request, without their contents. */
export interface Presented {
  certificate: PeerCertificate | undefined;
  /** The scheme of the `Authorization` header. */
  scheme: string | undefined;
}

/** One call of an admission plugin, webhook or policy, and its outcome. */
export interface AdmissionCall {
  /** The plugin. */
  plugin: string;
  /** The webhook or policy; absent if the plugin itself decided. */
  name?: string;
  ms?: number;
  outcome: string;
}

/** The part of an APIService in a trace. */
export interface TracedApiService {
  metadata: { name?: string };
  spec: { insecureSkipTLSVerify?: boolean; caBundle?: string };
  status?: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] };
}

/** The forwarding of a request to an extension API server. */
export interface ForwardTrace {
  /** The APIService at the time of the request. */
  apiService: TracedApiService;
  endpoint?: Endpoint;
  transport?: Pick<Transport, 'serverName' | 'clientCertificate' | 'hop'>;
  /** The certificate that the server presented. */
  serverCertificate?: PeerCertificate | undefined;
  /** The headers that were sent; {@link traceView} selects those that may be shown. */
  headers?: HeaderList;
  code?: number;
  /** Milliseconds until the response head arrived. */
  ms?: number;
  error?: string;
}

/** A SubjectAccessReview or a similar review. */
export interface ReviewTrace {
  attributes: Attributes;
  decision: Decision;
}

/** Creates the trace of a new request. */
export function startTrace(req: HttpRequest, receivedAt: number, address: string | undefined): DecisionTrace {
  return {
    auditId: '',
    receivedAt,
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    client: {
      address,
      protocol: req.httpVersion,
      userAgent: req.headers['user-agent'],
    },
    steps: [],
    times: [],
    startedAt: performance.now(),
    attempts: [],
    remarks: [],
  };
}

/** Records the start of a step, at a time of `performance.now()`. */
export function markStep(trace: DecisionTrace, step: string, at: number): void {
  trace.steps.push(step);
  trace.times.push(at);
}

/** Reasons whose messages contain only names, and never quote an object. */
const quotingNothing: ReadonlySet<string> = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Expired',
  'MethodNotAllowed',
  'NotAcceptable',
  'TooManyRequests',
  'Timeout',
  'ServiceUnavailable',
]);

/** Records the Status of an error response. */
export function traceRefusal(trace: DecisionTrace, { reason = '', message = '' }: Partial<Status>): void {
  trace.refusal = { reason, ...(quotingNothing.has(reason) ? { message } : {}) };
}

/** Characters of a text in a trace: webhooks may send long texts, and traces are kept for a long time. */
export const maxTraceTextLength = 2048;
/** The number of authorizations in a trace: one request may impersonate many groups. */
export const maxTraceRights = 32;

/** Records an authorization for impersonation. */
export function traceRight(trace: DecisionTrace, attributes: Attributes, decision: Decision): void {
  const rights = (trace.impersonationRights ??= []);
  if (rights.length < maxTraceRights) rights.push({ attributes, decision });
}

/** Records a call of admission. */
export function traceAdmission(trace: DecisionTrace, call: AdmissionCall): void {
  const { outcome } = call;
  const cut =
    outcome.length > maxTraceTextLength
      ? { ...call, outcome: `${outcome.slice(0, maxTraceTextLength)}…` }
      : call;
  (trace.admission ??= []).push(cut);
}
