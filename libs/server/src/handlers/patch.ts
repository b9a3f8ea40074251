import { PatchError, badRequest, failure } from '@annex/machinery';
import { patchMediaType } from '../decoding/media-type.ts';
import { requirePatchType } from '../decoding/decode-patch.ts';
import { patchTypes } from '@annex/kinds';
import { beginWrite } from './create.ts';
import type { ResourceRequest } from './resource-request.ts';

/** PATCH of an object or of a subresource, server-side apply among them. */
export async function patch(request: ResourceRequest): Promise<void> {
  const type = patchMediaType(request.ctx);
  requirePatchType(type, request.kind);
  if (request.ctx.info.name === '') throw badRequest('name must be provided');
  try {
    await request.server.write(await beginWrite(request, type === patchTypes.apply ? 'apply' : 'patch'));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw failure('Invalid', 'the server rejected our request due to an error in our request', {});
  }
}
