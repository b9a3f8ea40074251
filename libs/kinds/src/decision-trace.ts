import type { IncomingMessage } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import type { Status } from '@annex/machinery';
import type { Attempt, Attributes, Decision, UserInfo } from '@annex/auth';
import type { Endpoint, HeaderList, Transport } from '@annex/http';

/**
 * What was decided about one request, by whom and when: filled by the steps as they run. Nothing here is a secret;
 * objects are kept as they are and made readable only when somebody asks, see {@link traceView}.
 */
export interface DecisionTrace {
  auditId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly method: string;
  /** Path and query, as sent. */
  /** Path and query as they were sent. */
  url: string;
  readonly client: { address: string | undefined; protocol: string; userAgent: string | undefined };
  /** The steps that began, in their order. */
  readonly steps: string[];
  /** When each of them began, in milliseconds of `performance.now()`. */
  readonly times: number[];
  readonly startedAt: number;
  /** Of the answer, once it is complete. */
  code?: number;
  ms?: number;
  /** The Status that it was refused with. Messages may quote what was sent: only those made of names are kept. */
  refusal?: { reason: string; message?: string };
  presented?: Presented;
  /** What each authenticator made of the credentials, in their order. */
  readonly attempts: Attempt[];
  /** Further remarks of the steps, in their order. */
  readonly remarks: string[];
  user?: UserInfo;
  /** What the user had to be allowed to act for another, as far as that was asked. */
  impersonationRights?: ReviewTrace[];
  impersonated?: UserInfo;
  attributes?: Attributes;
  decision?: Decision;
  admission?: AdmissionCall[];
  forward?: ForwardTrace;
  /** The request is itself a question about somebody's rights, and this is what it asks. */
  review?: ReviewTrace;
  /** The client asked with a header to be told. */
  requested?: boolean;
  /** Why it is not told. */
  withheld?: string;
}

/** The credentials that came with a request: what they are, never what they hold. */
export interface Presented {
  certificate: PeerCertificate | undefined;
  /** The scheme of the `Authorization` header. */
  scheme: string | undefined;
}

/** One question that admission asked of somebody, and how it ended. */
export interface AdmissionCall {
  /** The plugin. */
  plugin: string;
  /** The webhook or the policy that was asked; absent where the plugin decided by itself. */
  name?: string;
  ms?: number;
  outcome: string;
}

/** What a trace shows of an APIService. */
export interface TracedApiService {
  metadata: { name?: string };
  spec: { insecureSkipTLSVerify?: boolean; caBundle?: string };
  status?: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] };
}

/** How a request was forwarded to an extension API server. */
export interface ForwardTrace {
  /** As it was then. */
  apiService: TracedApiService;
  endpoint?: Endpoint;
  transport?: Pick<Transport, 'serverName' | 'clientCertificate'>;
  /** The certificate that the server showed. */
  serverCertificate?: PeerCertificate | undefined;
  /** What was sent; only {@link traceView} says what of it may be shown. */
  headers?: HeaderList;
  code?: number;
  /** Until the head of the answer was there. */
  ms?: number;
  error?: string;
}

/** A SubjectAccessReview, or one of its kin. */
export interface ReviewTrace {
  attributes: Attributes;
  decision: Decision;
}

/** The trace of a request that was just received. */
export function startTrace(req: IncomingMessage, receivedAt: number): DecisionTrace {
  return {
    auditId: '',
    receivedAt,
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    client: {
      address: req.socket?.remoteAddress,
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

/** Notes that a step begins, at a time of `performance.now()`. */
export function markStep(trace: DecisionTrace, step: string, at: number): void {
  trace.steps.push(step);
  trace.times.push(at);
}

/** Reasons whose messages say who may not do what, or what is not there, and never quote an object. */
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

/** Notes the Status that a request is answered with. */
export function traceRefusal(trace: DecisionTrace, { reason = '', message = '' }: Partial<Status>): void {
  trace.refusal = { reason, ...(quotingNothing.has(reason) ? { message } : {}) };
}

/** Webhooks may say much; a trace is remembered for long. */
export const maxTraceTextLength = 2048;
/** A client may ask for many groups at once. */
export const maxTraceRights = 32;

/** Notes what a user had to be allowed to act for another. */
export function traceRight(trace: DecisionTrace, attributes: Attributes, decision: Decision): void {
  const rights = (trace.impersonationRights ??= []);
  if (rights.length < maxTraceRights) rights.push({ attributes, decision });
}

/** Notes a question of admission. */
export function traceAdmission(trace: DecisionTrace, call: AdmissionCall): void {
  const { outcome } = call;
  const cut =
    outcome.length > maxTraceTextLength
      ? { ...call, outcome: `${outcome.slice(0, maxTraceTextLength)}…` }
      : call;
  (trace.admission ??= []).push(cut);
}
