import { escapeUrl } from '@annex/machinery';
import {
  defaultIdentityHeaders,
  isNotForwarded,
  endToEndHeaders,
  identityHeaderTest,
} from '@annex/aggregation';
import { sendText } from '@annex/server';
import type { RequestContext } from '@annex/kinds';
import { headerObject } from '@annex/http';
import { openApiTimeoutMs } from './extension-openapi.ts';
import { type FetchRemote, isAvailable, type Registration, type RemoteResponse } from './sources.ts';

/** Maximum bytes of a version 3 OpenAPI document that is forwarded for a client. */
export const maxForwardedDocumentBytes = 64 * 1024 * 1024;

const limits = { timeoutMs: openApiTimeoutMs, maxBytes: maxForwardedDocumentBytes };
/** Returns path and query in the form of all forwarded requests. */
const pathOf = ({ path, query }: RequestContext): string =>
  escapeUrl(path, 'path') + (query.size === 0 ? '' : `?${query}`);

const noCache = 'no-cache, private';
const isIdentityHeader = identityHeaderTest(defaultIdentityHeaders);

/** Requests a document from the server of a version as the user of the client, and passes the response on. */
export async function forwardDocument<R extends Registration>(
  request: RequestContext,
  fetch: FetchRemote<R>,
  registration: R,
): Promise<void> {
  if (!isAvailable(registration)) return sendText(request, 503, 'service unavailable\n');
  const headers = {
    ...headerObject(endToEndHeaders(request.req, isIdentityHeader)),
    'audit-id': request.auditId,
  };
  let response: RemoteResponse;
  try {
    response = await fetch(registration, { path: pathOf(request), user: request.user, headers, ...limits });
  } catch (error) {
    return sendText(request, 503, `error trying to reach service: ${(error as Error).message}\n`);
  }
  if (response.status >= 300 && response.status <= 399 && response.headers.location !== undefined) {
    return sendText(request, 502, 'the backend attempted to redirect this request, which is not permitted');
  }
  const { 'cache-control': caching, ...rest } = response.headers;
  const ends = isNotForwarded(undefined);
  request.res.writeHead(response.status, {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !ends(name))),
    'cache-control': caching === undefined ? noCache : `${noCache}, ${caching}`,
    'content-length': response.body.length,
    'audit-id': request.auditId,
  });
  request.res.end(request.req.method === 'HEAD' ? undefined : response.body);
}
