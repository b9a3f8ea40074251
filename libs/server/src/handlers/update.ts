import { beginWrite } from './create.ts';
import type { ResourceRequest } from './resource-request.ts';

/** PUT of an object or of a subresource. */
export async function update(request: ResourceRequest): Promise<void> {
  await request.server.write(await beginWrite(request, 'update'));
}
