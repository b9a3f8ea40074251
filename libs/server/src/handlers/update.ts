import { beginWrite } from './create.ts';
import type { RequestScope } from './request-scope.ts';

/** PUT of an object or a subresource. */
export async function update(scope: RequestScope): Promise<void> {
  await scope.server.write(await beginWrite(scope, 'update'));
}
