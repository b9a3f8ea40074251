import { badRequest } from '@annex/machinery';
import { parseRequestInfo } from '../request-info.ts';
import { sendText } from '../respond.ts';
import type { Step } from '../step.ts';

/**
 * Reads path and query once for everybody after it, so that authorization and routing cannot see two different paths.
 * Paths with `//`, `.` or `..` segments are redirected to the clean path, as Go's ServeMux does.
 */
export const parseRequest: Step = {
  name: 'parseRequest',
  async run(ctx, next) {
    const raw = ctx.req.url ?? '/';
    const queryAt = raw.indexOf('?');
    const rawPath = queryAt < 0 ? raw : raw.slice(0, queryAt);
    const path = decodePath(rawPath);
    const clean = cleanPath(path);
    if (clean !== path) {
      const location = encodeURI(clean) + (queryAt < 0 ? '' : raw.slice(queryAt));
      return sendText(ctx, 301, '', { Location: location });
    }
    ctx.path = path;
    ctx.query = new URLSearchParams(queryAt < 0 ? '' : raw.slice(queryAt + 1));
    ctx.info = parseRequestInfo(ctx.req.method ?? 'GET', path, ctx.query);
    await next();
  },
};

function decodePath(rawPath: string): string {
  if (!rawPath.startsWith('/')) throw badRequest('the request path must start with a slash');
  if (!rawPath.includes('%')) return rawPath;
  try {
    return decodeURIComponent(rawPath);
  } catch {
    throw badRequest('the request path has a malformed percent escape');
  }
}

/** The path without empty, `.` and `..` segments; a trailing slash stays. */
function cleanPath(path: string): string {
  if (!/\/\/|\/\.{1,2}(\/|$)/.test(path)) return path;
  const out: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') out.pop();
    else if (segment !== '' && segment !== '.') out.push(segment);
  }
  return `/${out.join('/')}${path.endsWith('/') && out.length > 0 ? '/' : ''}`;
}
