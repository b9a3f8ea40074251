import type { RequestContext } from '../context.ts';
import { encodeAs, negotiate } from '../encoding/negotiation.ts';
import { sendBody } from '../respond.ts';

/** Answers with a document of discovery in the form that the client asks for. `routed` picks the words of a refusal. */
export async function sendDocument(
  ctx: RequestContext,
  document: Record<string, unknown>,
  { routed }: { routed: boolean },
): Promise<void> {
  const as = negotiate(ctx.req.headers.accept, { routed, protobuf: true, plain: true });
  const { contentType, body } = await encodeAs(as.encoding, document);
  sendBody(ctx, 200, contentType, body);
}
