import { isReason } from '@annex/machinery';
import { encodeList } from '../list-body.ts';
import { negotiate } from '../negotiation.ts';
import { wantsPretty } from '../pretty.ts';
import { sendPieces } from '../respond.ts';
import { readDeleteOptions, removeNamed } from './delete.ts';
import { listValue, selected } from './list.ts';
import type { ResourceRequest } from './resource-request.ts';

/** How many objects of a collection are deleted side by side. */
const width = 16;

/** DELETE of a collection: every object that the selectors choose. Answers with the list of what they were. */
export async function removeCollection(request: ResourceRequest): Promise<void> {
  const { ctx, kind } = request;
  const as = negotiate(ctx.req.headers.accept, { custom: kind.custom, protobuf: !kind.custom });
  const options = await readDeleteOptions(ctx);
  const objects = await selected(request);
  const waiting = objects.values();
  const work = async () => {
    for (const object of waiting) {
      const { namespace = '', name = '' } = object.metadata;
      const one = {
        ...request,
        ctx: Object.create(ctx, { info: { value: { ...ctx.info, namespace } } }) as typeof ctx,
      };
      await removeNamed(one, name, options).catch((error: unknown) => {
        // Somebody else was faster: gone is what was asked for.
        if (!isReason(error, 'NotFound')) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  const metadata = {
    resourceVersion: String(request.objects.cache.revision),
    ...(kind.custom ? { continue: '' } : {}),
  };
  const pieces = await encodeList(as.encoding, wantsPretty(ctx), listValue(kind, metadata, objects));
  await sendPieces(ctx, 200, pieces);
}
