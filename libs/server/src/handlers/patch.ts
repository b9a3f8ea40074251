import { PatchError, badRequest, failure } from '@annex/machinery';
import { patchMediaType } from '../decoding/media-type.ts';
import { requirePatchType } from '../decoding/decode-patch.ts';
import { patchTypes } from '@annex/kinds';
import { beginWrite } from './create.ts';
import type { RequestScope } from './request-scope.ts';

/** PATCH of an object or a subresource, including server-side apply. */
export async function patch(scope: RequestScope): Promise<void> {
  const type = patchMediaType(scope.request);
  requirePatchType(type, scope.kind);
  if (scope.request.info.name === '') throw badRequest('name must be provided');
  try {
    await scope.server.write(await beginWrite(scope, type === patchTypes.apply ? 'apply' : 'patch'));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw failure('Invalid', 'the server rejected our request due to an error in our request', {});
  }
}
