import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UserInfo } from '@annex/auth';
import type { RequestInfo } from './request-info.ts';

/** All that is known of one request. Made by the listener, filled by the steps of the request path, in that order. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The audit id: what the client sent in `Audit-ID`, or a new UUID. */
  auditId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The decoded path and query. */
  url: URL;
  info: RequestInfo;
  user: UserInfo;
  /** The user that authenticated, where `user` is impersonated. */
  impersonator?: UserInfo;
  /** Aborts when the client goes away or the deadline passes. */
  signal: AbortSignal;
  /** Texts for `Warning: 299` headers, sent with the response head; each once. */
  readonly warnings: string[];
  /** What the steps report: the decision trace. */
  readonly trace: TraceEntry[];
}

export interface TraceEntry {
  step: string;
  /** Milliseconds since the request was received, and how long the step itself took. */
  at: number;
  took: number;
  notes: string[];
}
