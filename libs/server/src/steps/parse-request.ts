import { badRequest } from '@annex/machinery';
import { parseRequestInfo } from '../request-info.ts';
import type { Step } from '../step.ts';

/** Reads path and query once for everybody after it, so that authorization and routing cannot see two different paths. */
export const parseRequest: Step = {
  name: 'parseRequest',
  async run(ctx, next) {
    const raw = withoutOrigin(ctx.req.url ?? '/');
    const queryAt = raw.indexOf('?');
    const rawPath = queryAt < 0 ? raw : raw.slice(0, queryAt);
    const path = decodePath(rawPath);
    ctx.path = path;
    ctx.query = new URLSearchParams(queryAt < 0 ? '' : raw.slice(queryAt + 1));
    ctx.info = parseRequestInfo(ctx.req.method ?? 'GET', path, ctx.query);
    await next();
  },
};

/** A request line may name the whole URL, RFC 9112 3.2.2: a server that is not a proxy takes the path of it. */
const withoutOrigin = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');

function decodePath(rawPath: string): string {
  if (!rawPath.startsWith('/')) throw badRequest('the request path must start with a slash');
  if (!rawPath.includes('%')) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    throw badRequest('the request path has a malformed percent escape');
  }
}
