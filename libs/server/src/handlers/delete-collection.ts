import { booleanParameter } from '@annex/kinds';
import { isReason } from '@annex/machinery';
import { readDeleteOptions } from '../queries/delete-options.ts';
import { negotiate } from '../encoding/negotiation.ts';
import { createPacer } from '@annex/runtime';
import { collectionRequest } from '../queries/selection.ts';
import { type InTurn, removeNamed } from './delete.ts';
import { sendPage } from './list.ts';
import { readPage } from './read-page.ts';
import type { RequestScope } from './request-scope.ts';

/** The maximum number of objects of a collection that are deleted concurrently. */
const concurrentDeletions = 16;

/**
 * DELETE of a collection: deletes every selected object until a deletion is refused or nobody waits for the response. Responds with the list of the objects before deletion, or
 * with the error of the first object that was refused, as if objects were deleted one after the other.
 */
export async function removeCollection(scope: RequestScope): Promise<void> {
  const { request, kind } = scope;
  const as = negotiate(request.req.headers.accept, kind.behavior.listForms);
  // Its options are those of a watch if the query has `watch`, which changes nothing else.
  const watch = booleanParameter(request.query.get('watch'));
  const requested = collectionRequest(kind, request.query, { watch, name: request.info.name });
  const options = await readDeleteOptions(request);
  const page = await readPage(scope, requested);
  const waiting = page.items.entries();
  const pace = createPacer();
  const refused: { index: number; error: unknown }[] = [];
  // Webhooks are called in the order of the objects, as if they were deleted one after the other.
  let admitted = Promise.resolve();
  const work = async () => {
    for (const [index, { object }] of waiting) {
      if (refused.length > 0 || request.signal.aborted) return;
      const before = admitted;
      const { promise, resolve: endTurn } = Promise.withResolvers<void>();
      admitted = promise;
      const inTurn: InTurn = (admit) => before.then(admit).finally(endTurn);
      const pause = pace();
      if (pause) await pause;
      const { namespace = '', name = '' } = object.metadata;
      const one: RequestScope = {
        ...scope,
        request: Object.create(request, {
          info: { value: { ...request.info, namespace } },
        }) as typeof request,
      };
      await removeNamed(one, name, options, inTurn)
        .catch((error: unknown) => {
          // A concurrent request has deleted the object, as requested.
          if (isReason(error, 'NotFound')) return;
          refused.push({ index, error });
        })
        .finally(endTurn);
    }
  };
  await Promise.all(Array.from({ length: concurrentDeletions }, work));
  if (request.signal.aborted) return;
  const [first] = refused.toSorted((a, b) => a.index - b.index);
  if (first) throw first.error;
  await sendPage(scope, page, as);
}
