import type { Buffer } from 'node:buffer';
import type { RequestContext } from '@annex/kinds';
import { finish } from '@annex/machinery';
import { encodeAs, negotiate } from '../encoding/negotiation.ts';
import { sendBody } from '../respond.ts';
import { aggregatedType } from './accept.ts';
import { sendEmpty } from './send-empty.ts';

/** Sends a discovery document in the negotiated encoding. `routed` selects the message of a 406. */
export async function sendDocument(
  request: RequestContext,
  document: Record<string, unknown>,
  { routed }: { routed: boolean },
): Promise<void> {
  const as = negotiate(request.req.headers.accept, { routed, protobuf: true, plain: true });
  request.audit?.recordResponse(document);
  const { contentType, body } = await encodeAs(as.encoding, document);
  sendBody(request, 200, contentType, body);
}

/** Sends an aggregated document, or 304 if the client has it already. */
export function sendAggregated(request: RequestContext, bytes: Buffer, etag: string): void {
  const headers = { ETag: etag, Vary: 'Accept', 'Cache-Control': 'public' };
  if (request.req.headers['if-none-match'] === etag) return sendEmpty(request, 304, headers);
  if (request.audit !== undefined) finish(request.audit.responseJson([bytes]));
  sendBody(request, 200, aggregatedType, bytes, headers);
}
