import type { RequestContext } from '@annex/kinds';

/** Sends a response without a body. */
export function sendEmpty(request: RequestContext, code: number, headers: Record<string, string> = {}): void {
  const length = code === 304 ? {} : { 'Content-Length': '0' };
  request.res.writeHead(code, {
    'Audit-Id': request.auditId,
    'Cache-Control': 'no-cache, private',
    ...length,
    ...headers,
  });
  request.res.end();
}
