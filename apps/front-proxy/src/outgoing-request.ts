import { posix } from 'node:path';
import { escapeUrl } from '@annex/machinery';
import {
  type Endpoint,
  type HttpRequest,
  type Information,
  type Outgoing,
  type Transport,
  bodyStream,
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

// A slow backend must not delay discovery for every client.
export const discoveryTimeoutMs = 5_000;

const tests = new WeakMap<IdentityHeaderNames, (lowerName: string) => boolean>();

function isIdentityHeader(names: IdentityHeaderNames): (lowerName: string) => boolean {
  let test = tests.get(names);
  if (test === undefined) tests.set(names, (test = identityHeaderTest(names)));
  return test;
}

/** Builds the request for the backend. */
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
  // The framing is that of this connection. If a client could remove it by `Connection`, the backend would read the body as the next
  // request.
  if (chunked) headers.push('transfer-encoding', 'chunked');
  else if (body) headers.push('content-length', String(req.headers['content-length']));
  else if (bodyMethods.has(req.method ?? '')) headers.push('content-length', '0');
  return {
    transport,
    endpoint,
    method: req.method ?? 'GET',
    path: query === '' ? path : `${path}?${query}`,
    headers,
    body: body ? bodyStream(req) : undefined,
    chunked,
    upgrade: upgrade !== undefined,
    clientResponse: request.res,
    onInformation: interimResponses(request),
    signal: isDiscovery(request) ? AbortSignal.timeout(discoveryTimeoutMs) : undefined,
  };
}

/** Methods with a body as a rule: requests without one send a length of 0 (RFC 9110 section 8.6). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Interim responses (1xx) to one request that are passed on to its client; further ones are dropped. */
export const maxPassedInterimResponses = 64;

/**
 * Passes interim responses on: progress and hints (RFC 9110 section 15.2, RFC 8297). They are optional, so they are dropped instead of
 * buffered while the client does not read.
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
      // Not writeEarlyHints: Node checks links with a regular expression of exponential time.
      res.writeInformation(statusCode, link === undefined ? {} : { Link: link });
    } catch {
      // Hints that cannot be written as a header are optional: drop them.
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
  req: HttpRequest,
  endpoint: Endpoint,
  path: string,
  upgrade: boolean,
): void {
  const client = forwardedFor(req);
  if (client !== undefined) headers.push('x-forwarded-for', client);
  // kube sets these headers if it sends the request, not if it hands the connection over.
  if (upgrade) return;
  headers.push('x-forwarded-uri', cleanPath(path), 'x-forwarded-host', hostPort(endpoint));
  headers.push('x-forwarded-proto', 'https');
}

/** Cleans a path as Go's path.Join: without empty and dotted segments, with the slash at the end. */
function cleanPath(path: string): string {
  return /\/(?:\/|\.)/.test(path) ? posix.normalize(path) : path;
}

function hasBody(req: HttpRequest): boolean {
  // HTTP/2 needs no header that announces a body.
  if (req.stream !== undefined) return !req.stream.endAfterHeaders;
  const length = req.headers['content-length'];
  return req.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** True for `/apis/<group>/<version>`. */
const isDiscovery = (request: RequestContext): boolean =>
  !request.info.isResourceRequest && request.path.split('/').filter((segment) => segment !== '').length === 3;
