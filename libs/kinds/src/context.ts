import type { Remarks, UserInfo } from '@annex/auth';
import { Query } from '@annex/machinery';
import type { ClientConnection, HttpRequest, HttpResponse } from '@annex/http';
import type { ResourceKind } from './resource-kind.ts';
import { type RequestInfo, parseRequestInfo } from './request-info.ts';
import type { RequestAudit } from '@annex/audit';
import { type DecisionTrace, startTrace } from './decision-trace.ts';

/** The state of one request. The listener creates it; the steps of the request path fill it in order. */
export interface RequestContext {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  /** The audit ID: that of the header `Audit-ID`, or a new UUID. */
  auditId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The decoded path, which authorization, routing and forwarding read. */
  path: string;
  /** The parameters, which authorization, handlers and forwarding read. */
  query: Query;
  /** Path and query as they were sent, without scheme and host, for logs and audit events. */
  requestUri: string;
  info: RequestInfo;
  /** The kind that the path names, if it is served. */
  kind?: ResourceKind;
  user: UserInfo;
  /** Warnings and annotations about the credentials. */
  remarks?: Remarks;
  /** The authenticated user, if `user` is impersonated. */
  impersonator?: UserInfo;
  /** The audit event of the request; absent if the audit policy does not select the request. */
  audit?: RequestAudit;
  /** Aborts when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal;
  /** Aborts `signal`. */
  abort(): void;
  /** The connection of the request. */
  readonly connection: ClientConnection | undefined;
  /** Aborts when the server stops, to end streams. */
  readonly stopping: AbortSignal;
  /** The headers of the response that name the FlowSchema and the priority level of the request. */
  flowHeaders?: Readonly<Record<string, string>> | undefined;
  /** Called when a watch has sent the events of existing objects. */
  onBegun?: (() => void) | undefined;
  /** Texts for `Warning: 299` headers, sent with the response head; each once. */
  readonly warnings: string[];
  /** The decisions of the steps. Never contains secrets. */
  readonly trace: DecisionTrace;
}

const noUser: UserInfo = { name: '', groups: [], extra: {} };
const nowhere = parseRequestInfo('GET', '/', Query.none);
const never = new AbortController().signal;

/** Creates the context of a new request. */
export const createContext = (
  req: HttpRequest,
  res: HttpResponse,
  receivedAt: number,
  stopping: AbortSignal = never,
  connection?: ClientConnection,
): RequestContext => new ReceivedRequest(req, res, receivedAt, stopping, connection);

class ReceivedRequest implements RequestContext {
  readonly req: HttpRequest;
  readonly res: HttpResponse;
  readonly receivedAt: number;
  readonly stopping: AbortSignal;
  readonly connection: ClientConnection | undefined;
  readonly trace: DecisionTrace;
  readonly warnings: string[] = [];
  auditId = '';
  path = '/';
  query = Query.none;
  requestUri = '/';
  // Declared, so that all requests have one shape.
  flowHeaders: Readonly<Record<string, string>> | undefined = undefined;
  onBegun: (() => void) | undefined = undefined;
  info = nowhere;
  user = noUser;
  // Created at its first use: most requests end without it.
  #controller: AbortController | undefined;

  constructor(
    req: HttpRequest,
    res: HttpResponse,
    receivedAt: number,
    stopping: AbortSignal,
    connection: ClientConnection | undefined,
  ) {
    this.req = req;
    this.res = res;
    this.receivedAt = receivedAt;
    this.stopping = stopping;
    this.connection = connection;
    this.trace = startTrace(req, receivedAt, connection?.address ?? req.socket?.remoteAddress);
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
