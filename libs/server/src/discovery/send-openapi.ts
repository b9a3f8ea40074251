import type { RequestContext } from '@annex/kinds';
import { sendEmpty } from './send-empty.ts';
import { writePieces } from '../respond.ts';
import { conditionCode, type Encoded } from '@annex/openapi';

/** Sends a document, or 304 if the client has it already. */
export async function sendOpenApi(
  request: RequestContext,
  { pieces, length, hash, madeAt }: Encoded,
  contentType: string,
  headers: Record<string, string> = {},
): Promise<void> {
  const known = { ETag: `"${hash}"`, Vary: 'Accept', ...headers };
  const all = { ...known, 'Last-Modified': new Date(madeAt).toUTCString() };
  const code = conditionCode(request.req, { etag: all.ETag, madeAt });
  if (code === 304) return sendEmpty(request, 304, known);
  if (code === 412) return sendEmpty(request, 412, { 'Content-Type': contentType, ...all });
  // sendBody is not used because it indents JSON for browsers and curl; programs read these megabytes.
  request.res.writeHead(200, {
    'Audit-Id': request.auditId,
    'Cache-Control': 'no-cache, private',
    'Content-Type': contentType,
    'Content-Length': String(length),
    ...all,
  });
  await writePieces(request, pieces, length);
}
