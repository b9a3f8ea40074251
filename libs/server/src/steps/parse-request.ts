import { sanitized } from '@annex/auth';
import { goQuote, parseRequestTarget, type RequestTarget, UrlError } from '@annex/machinery';
import { parseRequestInfo } from '@annex/kinds';
import type { HttpRequest, HttpResponse } from '@annex/http';
import type { Step } from '../step.ts';

/**
 * Parses path and query once, by Go's rules, for all steps and handlers: authorization and backends always
 * see the same request.
 */
export const parseRequest: Step = {
  name: 'parseRequest',
  run(request, next) {
    const { method = 'GET', url = '/' } = request.req;
    const target = hasSeveralHosts(request.req) ? undefined : parseTarget(method, url);
    if (target === undefined) return refuse(request.res, 400, '400 Bad Request');
    const { path, query, uri } = target;
    request.requestUri = request.trace.url = uri;
    if (isIncomplete.test(path)) {
      const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${uri}`;
      const text = sanitized(`Internal Server Error: ${goQuote(url)}: ${why}`);
      return refuse(request.res, 500, `${text}\n`, { 'X-Content-Type-Options': 'nosniff' });
    }
    request.path = path;
    request.query = query;
    request.info = parseRequestInfo(method, path, query);
    return next(request);
  },
};

/** RFC 9112 section 3.2: with two Host headers, a proxy in front may have used the other one. */
function hasSeveralHosts({ httpVersionMajor, rawHeaders }: HttpRequest): boolean {
  if (httpVersionMajor !== 1) return false;
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

/** The deprecated prefix of watches of a version names no resource alone. */
const isIncomplete = /^\/+(?:api|apis\/[^/]+)\/[^/]+\/(?:watch|proxy)\/*$/;

/** Sends kube-apiserver's response to a request that does not reach its filters. */
function refuse(res: HttpResponse, code: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
  res.end(text);
}

/**
 * Returns `undefined` for an invalid target, and for a path that is not UTF-8, because all names are UTF-8.
 */
function parseTarget(method: string, url: string): RequestTarget | undefined {
  try {
    const target = parseRequestTarget(method, url);
    return target.path.isWellFormed() ? target : undefined;
  } catch (error) {
    if (error instanceof UrlError) return undefined;
    throw error;
  }
}
