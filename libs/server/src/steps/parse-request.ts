import type { ServerResponse } from 'node:http';
import { parseRequestInfo } from '../request-info.ts';
import type { Step } from '../step.ts';

/** Reads path and query once for everybody after it, so that authorization and routing cannot see two different paths. */
export const parseRequest: Step = {
  name: 'parseRequest',
  run(ctx, next) {
    const raw = withoutOrigin(ctx.req.url ?? '/');
    const queryAt = raw.indexOf('?');
    const path = decodePath(queryAt < 0 ? raw : raw.slice(0, queryAt));
    if (path === undefined) return refuse(ctx.res, 400, '400 Bad Request');
    if (isIncomplete.test(path)) {
      const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${path}`;
      const text = `Internal Server Error: ${JSON.stringify(raw)}: ${why}\n`;
      return refuse(ctx.res, 500, text, { 'X-Content-Type-Options': 'nosniff' });
    }
    ctx.path = path;
    if (queryAt >= 0) ctx.query = new URLSearchParams(raw.slice(queryAt + 1));
    ctx.info = parseRequestInfo(ctx.req.method ?? 'GET', path, ctx.query);
    return next(ctx);
  },
};

/** A request line may name the whole URL, RFC 9112 3.2.2: a server that is not a proxy takes the path of it. */
const withoutOrigin = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');

/** The deprecated prefix of the watches of a version says nothing by itself. */
const isIncomplete = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:watch|proxy)\/*$/;

/** Answers as kube-apiserver does to what does not reach its filters. */
function refuse(res: ServerResponse, code: number, text: string, headers: Record<string, string> = {}): void {
  res.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(text);
}

/** The decoded path; `undefined` for what is none. */
function decodePath(rawPath: string): string | undefined {
  if (!rawPath.startsWith('/')) return undefined;
  if (!rawPath.includes('%')) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    return undefined;
  }
}
