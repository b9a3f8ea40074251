import { groupVersion, isReason } from '@annex/machinery';
import { encodeAs, negotiate } from '../negotiation.ts';
import { sendBody } from '../respond.ts';
import { readDeleteOptions, removeNamed } from './delete.ts';
import { selected } from './list.ts';
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
  const items = objects.map((object) =>
    kind.custom ? object : { ...object, kind: undefined, apiVersion: undefined },
  );
  const metadata = {
    resourceVersion: String(request.objects.cache.revision),
    ...(kind.custom ? { continue: '' } : {}),
  };
  const answer = { kind: kind.listKind, apiVersion: groupVersion(kind), metadata, items };
  const { contentType, body } = await encodeAs(as.encoding, answer);
  sendBody(ctx, 200, contentType, body);
}
