import type { Buffer } from 'node:buffer';
import type { RequestContext } from '@annex/kinds';
import { encodeAs, negotiate } from '../encoding/negotiation.ts';
import { sendBody } from '../respond.ts';
import { aggregatedType } from './accept.ts';
import { sendEmpty } from './send-empty.ts';

/** Answers with a document of discovery in the form that the client asks for. `routed` picks the words of a refusal. */
export async function sendDocument(
  ctx: RequestContext,
  document: Record<string, unknown>,
  { routed }: { routed: boolean },
): Promise<void> {
  const as = negotiate(ctx.req.headers.accept, { routed, protobuf: true, plain: true });
  ctx.audit?.recordResponse(document);
  const { contentType, body } = await encodeAs(as.encoding, document);
  sendBody(ctx, 200, contentType, body);
}

/** Answers with an aggregated document, or 304 where the client has it already. */
export function sendAggregated(ctx: RequestContext, bytes: Buffer, etag: string): void {
  const headers = { ETag: etag, Vary: 'Accept', 'Cache-Control': 'public' };
  if (ctx.req.headers['if-none-match'] === etag) return sendEmpty(ctx, 304, headers);
  if (ctx.audit?.includesLevel('RequestResponse')) ctx.audit.responseJson(bytes.toString());
  sendBody(ctx, 200, aggregatedType, bytes, headers);
}
