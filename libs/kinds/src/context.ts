import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Remarks, UserInfo } from '@annex/auth';
import { Query } from '@annex/machinery';
import type { ClientConnection } from '@annex/http';
import type { ResourceKind } from './resource-kind.ts';
import { type RequestInfo, parseRequestInfo } from './request-info.ts';
import type { RequestAudit } from '@annex/audit';
import { type DecisionTrace, startTrace } from './decision-trace.ts';

/** All that is known of one request. Made by the listener, filled by the steps of the request path, in that order. */
export interface RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The audit id: what the client sent in `Audit-ID`, or a new UUID. */
  auditId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The decoded path: authorization, routing and forwarding read this and nothing else. */
  path: string;
  /** The parameters, which authorization, handlers and forwarding read in the same way. */
  query: Query;
  /** Path and query as they were sent, without scheme and host, for logs and audit events. */
  requestUri: string;
  info: RequestInfo;
  /** The kind that the path names, once it was found to be served. */
  kind?: ResourceKind;
  user: UserInfo;
  /** What there is to say of the credentials. */
  remarks?: Remarks;
  /** The user that authenticated, where `user` is impersonated. */
  impersonator?: UserInfo;
  /** What is written of the request; absent where the audit policy wants nothing. */
  audit?: RequestAudit;
  /** Aborts when the client goes away or the deadline passes. */
  readonly signal: AbortSignal;
  /** Aborts `signal`. */
  abort(): void;
  /** What the request came on. */
  readonly connection: ClientConnection | undefined;
  /** Aborts when the server stops: what lasts as long as its client wants ends then. */
  readonly stopping: AbortSignal;
  /** Texts for `Warning: 299` headers, sent with the response head; each once. */
  readonly warnings: string[];
  /** What the steps decided. Never secrets. */
  readonly trace: DecisionTrace;
}

const noUser: UserInfo = { name: '', groups: [], extra: {} };
const nowhere = parseRequestInfo('GET', '/', Query.none);
const never = new AbortController().signal;

/** The context of a request that was just received. */
export const createContext = (
  req: IncomingMessage,
  res: ServerResponse,
  receivedAt: number,
  stopping: AbortSignal = never,
  connection?: ClientConnection,
): RequestContext => new ReceivedRequest(req, res, receivedAt, stopping, connection);

class ReceivedRequest implements RequestContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly receivedAt: number;
  readonly stopping: AbortSignal;
  readonly connection: ClientConnection | undefined;
  readonly trace: DecisionTrace;
  readonly warnings: string[] = [];
  auditId = '';
  path = '/';
  query = Query.none;
  requestUri = '/';
  info = nowhere;
  user = noUser;
  // Made on first use: most requests end before anybody asks for the signal.
  #controller: AbortController | undefined;

  constructor(
    req: IncomingMessage,
    res: ServerResponse,
    receivedAt: number,
    stopping: AbortSignal,
    connection: ClientConnection | undefined,
  ) {
    this.req = req;
    this.res = res;
    this.receivedAt = receivedAt;
    this.stopping = stopping;
    this.connection = connection;
    this.trace = startTrace(req, receivedAt);
  }

  get signal(): AbortSignal {
    return this.#abortable().signal;
  }

  abort(): void {
    this.#abortable().abort();
  }

  #abortable(): AbortController {
    if (this.#controller === undefined) {
      const made = new AbortController();
      this.#controller = made;
      if (this.res.destroyed) made.abort();
      else this.res.once('close', () => made.abort());
    }
    return this.#controller;
  }
}
