import { badRequest } from '@annex/machinery';
import { beginWrite } from './create.ts';
import type { RequestScope } from './request-scope.ts';

/** PUT of an object or a subresource. */
export async function update(scope: RequestScope): Promise<void> {
  if (scope.request.info.name === '') throw badRequest('name must be provided');
  await scope.server.write(await beginWrite(scope, 'update'));
}
