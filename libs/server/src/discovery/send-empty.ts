import type { RequestContext } from '@annex/kinds';

/** Sends an answer without a body. */
export function sendEmpty(ctx: RequestContext, code: number, headers: Record<string, string> = {}): void {
  const length = code === 304 ? {} : { 'Content-Length': '0' };
  ctx.res.writeHead(code, {
    'Audit-Id': ctx.auditId,
    'Cache-Control': 'no-cache, private',
    ...length,
    ...headers,
  });
  ctx.res.end();
}
