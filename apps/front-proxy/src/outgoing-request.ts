import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { escapeUrl } from '@annex/machinery';
import {
  type Endpoint,
  type Information,
  type Outgoing,
  type Transport,
  hostPort,
  requestedUpgrade,
  isBehind,
} from '@annex/http';
import {
  type IdentityHeaderNames,
  endToEndHeaders,
  forwardedFor,
  identityHeaderTest,
  identityHeaders,
} from '@annex/aggregation';
import type { RequestContext } from '@annex/kinds';

// Discovery must not make every client wait for one slow backend.
export const discoveryTimeoutMs = 5_000;

const tests = new WeakMap<IdentityHeaderNames, (lowerName: string) => boolean>();

function isIdentityHeader(names: IdentityHeaderNames): (lowerName: string) => boolean {
  let test = tests.get(names);
  if (test === undefined) tests.set(names, (test = identityHeaderTest(names)));
  return test;
}

/** A request as its backend gets it. */
export function outgoingRequest(
  request: RequestContext,
  transport: Transport,
  endpoint: Endpoint,
  names: IdentityHeaderNames,
): Outgoing {
  const { req } = request;
  const path = escapeUrl(request.path, 'path');
  const query = request.query.toString();
  const upgrade = requestedUpgrade(req);
  const body = hasBody(req);
  const chunked = body && req.headers['content-length'] === undefined;
  const isIdentity = isIdentityHeader(names);
  const headers = endToEndHeaders(
    req,
    (name) =>
      isIdentity(name) || (upgrade === undefined && forwardedNames.has(name)) || name === 'content-length',
  );
  addForwarded(headers, req, endpoint, path, upgrade !== undefined);
  headers.push(...identityHeaders(request.user, names), 'audit-id', request.auditId);
  if (upgrade !== undefined) headers.push('connection', 'Upgrade', 'upgrade', upgrade);
  // The framing is our own: a client that names it in `Connection` would have its body read as the next request.
  if (chunked) headers.push('transfer-encoding', 'chunked');
  else if (body) headers.push('content-length', String(req.headers['content-length']));
  else if (bodyMethods.has(req.method ?? '')) headers.push('content-length', '0');
  return {
    transport,
    endpoint,
    method: req.method ?? 'GET',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    body: body ? req : undefined,
    chunked,
    upgrade: upgrade !== undefined,
    clientResponse: request.res,
    onInformation: interimResponses(request),
    signal: isDiscovery(request) ? AbortSignal.timeout(discoveryTimeoutMs) : undefined,
  };
}

/** What has a body as a rule: that it has none is said (RFC 9110 section 8.6). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Interim responses (1xx) to one request that are passed on to its client; the others are dropped. */
export const maxPassedInterimResponses = 64;

/**
 * Passes interim responses on: that the response takes time, and hints (RFC 9110 section 15.2, RFC 8297). They are optional, so
 * those that come while the client does not read are dropped instead of kept.
 */
function interimResponses({ req, res }: RequestContext): (information: Information) => void {
  let passed = 0;
  return ({ statusCode, headers }) => {
    if (passed === maxPassedInterimResponses || isBehind(res)) return;
    const link = headers.get('link');
    const isProcessing = statusCode === 102 && req.httpVersionMajor === 1;
    if (!isProcessing && (statusCode !== 103 || link === undefined)) return;
    passed++;
    try {
      // Not writeEarlyHints: the regular expression with which Node checks links takes exponential time.
      res.writeInformation(statusCode, link === undefined ? {} : { Link: link });
    } catch {
      // The client can do without hints that no header can hold.
    }
  };
}

const forwardedNames: ReadonlySet<string> = new Set([
  'x-forwarded-uri',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

function addForwarded(
  headers: string[],
  req: IncomingMessage,
  endpoint: Endpoint,
  path: string,
  upgrade: boolean,
): void {
  const client = forwardedFor(req);
  if (client !== undefined) headers.push('x-forwarded-for', client);
  // kube sets these where it sends a request itself, not where it hands a connection over.
  if (upgrade) return;
  headers.push('x-forwarded-uri', cleanPath(path), 'x-forwarded-host', hostPort(endpoint));
  headers.push('x-forwarded-proto', 'https');
}

/** As Go's path.Join leaves a path: without empty and dotted segments, but for a slash at the end. */
function cleanPath(path: string): string {
  return /\/(?:\/|\.)/.test(path) ? posix.normalize(path) : path;
}

function hasBody(req: IncomingMessage): boolean {
  // HTTP/2 needs no header to announce a body.
  const { stream } = req as { stream?: { endAfterHeaders?: boolean } };
  if (stream !== undefined) return stream.endAfterHeaders !== true;
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** `/apis/<group>/<version>`. */
const isDiscovery = (request: RequestContext): boolean =>
  !request.info.isResourceRequest && request.path.split('/').filter((segment) => segment !== '').length === 3;
