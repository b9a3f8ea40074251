import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientConfig } from '@annex/client';
import { createServerAgent, retireAgent } from '@annex/client';
import { dialErrorText, endpointOf } from '@annex/http';
import { hostOf, type Logger } from '@annex/runtime';
import { fastify, type FastifyInstance } from 'fastify';
import { requestForwarder } from './forward-request.ts';
import { forwardUpgrade } from './forward-upgrade.ts';
import {
  badRequest,
  forbidden,
  notFound,
  type PlainResponse,
  plainResponse,
  redirect,
  refusedRequest,
} from './plain-response.ts';
import { writePlain } from './raw-response.ts';
import type { RequestFilter } from './request-filter.ts';
import { requestProblem } from './request-problem.ts';
import { type Prefixes, routeOf } from './route.ts';
import { serveFile } from './static-files.ts';

/** What a proxy forwards, and to whom. */
export interface ProxySetting {
  /** Returns the server of the next request: another object if it has changed. */
  server(): ClientConfig;
  /** Undefined forwards every request. Static files are never filtered, as in kubectl. */
  filter: RequestFilter | undefined;
  apiPrefix: string;
  /** A folder of static files and the path under which they are served. */
  files?: { folder: string; prefix: string };
  appendServerPath?: boolean;
  /** Milliseconds between the probes of upgraded connections; 0 is without TCP keepalive. */
  keepaliveMs?: number;
  log: Logger;
}

/** The largest head of a request, in bytes. Source: Go's `http.DefaultMaxHeaderBytes`. */
export const maxProxyHeadBytes = 1024 * 1024;

/** Creates an HTTP proxy to an API server that does not listen yet. */
export function createProxyServer(setting: ProxySetting): FastifyInstance {
  const { keepaliveMs = 0 } = setting;
  const app = fastify({
    exposeHeadRoutes: false,
    http: { maxHeaderSize: maxProxyHeadBytes, requireHostHeader: false },
    clientErrorHandler: ({ code }, socket) => writePlain(socket, refusedRequest(unreadable(code))),
    // The route of every request is decided here, not by the router.
    frameworkErrors: (_error, request, reply) => handle(request.raw, reply.hijack().raw),
  });
  const current = liveTarget(setting);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { decide, describe, forward } = current();
    const run = (work: Promise<void>): void => {
      work.catch((error: Error) => write(response, plainResponse(500, describe(error))));
    };
    const decision = decide(request);
    if ('status' in decision) return write(response, decision);
    if (decision.kind === 'forward') return run(forward(request, response, decision.target));
    run(serveFile(setting.files?.folder ?? '', decision.path, request, response, write));
  };
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    handle(request.raw, reply.raw);
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (isWrittenTo(socket)) return void socket.destroy();
    const { decide, describe, target } = current();
    const decision = hasBody(request) ? badRequest : decide(request);
    if ('status' in decision) return writePlain(socket, decision);
    if (decision.kind === 'file') return writePlain(socket, badRequest);
    forwardUpgrade(request, socket, head, decision.target, { ...target, describe, keepaliveMs });
  });
  app.server.on('connect', (_request, socket: Socket) => writePlain(socket, notFound));
  endConnections(app);
  app.addHook('onClose', (_app, done) => {
    current().target.agent.destroy();
    done();
  });
  return app;
}

/** Go's response to a request that cannot be read. */
const unreadable = (code: string): string =>
  code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';

/** Returns the parts for the server of now. Requests to the previous one end undisturbed. */
function liveTarget(setting: ProxySetting) {
  let server = setting.server();
  let parts = prepare(setting, server);
  return () => {
    const now = setting.server();
    if (now !== server) {
      retireAgent(parts.target.agent);
      server = now;
      parts = prepare(setting, now);
    }
    return parts;
  };
}

/** The parts of a proxy that do not depend on a connection. */
function prepare(
  { apiPrefix, appendServerPath = false, files, filter, log }: ProxySetting,
  server: ClientConfig,
) {
  const url = new URL(server.server);
  const agent = createServerAgent(server);
  const prefixes: Prefixes = { api: apiPrefix, files: files?.prefix };
  const base = appendServerPath ? url.pathname.replace(/\/$/, '') : '';
  const describe = (error: Error): string =>
    dialErrorText(error, endpointOf(server.server), server.tlsServerName ?? hostOf(url));
  const target = { url, agent, identity: { userAgent: 'annex', ...server, host: url.host } };
  const forward = requestForwarder(target, (error, response) => {
    log.error('a request was not forwarded', { reason: describe(error) });
    if (response.headersSent) response.destroy();
    else write(response, plainResponse(500, describe(error)));
  });
  const decide = (request: IncomingMessage) => {
    const { headers, method = 'GET', url: requestTarget = '/' } = request;
    const problem = requestProblem(request);
    if (problem !== undefined) return problem;
    const route = routeOf(requestTarget, prefixes);
    if (route.kind === 'notFound') return notFound;
    if (route.kind === 'invalid') return badRequest;
    if (route.kind === 'redirect') return redirect(route.location, method);
    if (route.kind === 'file') return route;
    const host = route.host || (headers.host ?? '');
    const isAccepted = filter?.accepts({ method, path: route.path, host }) ?? true;
    return isAccepted ? { ...route, target: base + route.target } : forbidden;
  };
  return { decide, describe, forward, target };
}

/** Ends all connections when the proxy stops: watches and upgraded connections have no end of their own. */
function endConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    for (const socket of sockets) socket.destroy();
    done();
  });
}

/** True while the response to an earlier request is incomplete: Node passes the connection all the same. */
const isWrittenTo = (socket: Socket & { _httpMessage?: unknown }): boolean => Boolean(socket._httpMessage);

/** Node passes the connection without reading a body, and its bytes would be read as another request. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

function write(response: ServerResponse, { body, headers, status, statusText }: PlainResponse): void {
  if (response.headersSent) return void response.destroy();
  if (statusText !== undefined) response.statusMessage = statusText;
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
